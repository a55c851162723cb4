// Value maps of many templates: given to all of them as another template has them, or taken away by name.

import { MultiSelect, SegmentedControl, TagsInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { fetchValueMapsOf } from "@/api/value-maps";
import { t } from "@/lib/i18n";
import { TemplatePicker } from "@/widgets/pickers";

export interface ValueMapsFields {
  readonly how: "copy" | "remove";
  /** the template that has them */
  readonly from: Id | undefined;
  /** those of its value maps; undefined: all of them */
  readonly names: readonly string[] | undefined;
  readonly removed: readonly string[];
}

export const NO_VALUE_MAPS: ValueMapsFields = {
  how: "copy",
  from: undefined,
  names: undefined,
  removed: [],
};

export interface ValueMapsFieldProps {
  readonly fields: ValueMapsFields;
  readonly onChange: (fields: ValueMapsFields) => void;
}

export function ValueMapsField({ fields, onChange }: ValueMapsFieldProps) {
  const set = (change: Partial<ValueMapsFields>) => onChange({ ...fields, ...change });
  const { from = "" } = fields;
  const query = useQuery({
    queryKey: keys.valueMapList(from),
    queryFn: ({ signal }) => fetchValueMapsOf(from, signal),
    enabled: from !== "",
  });
  const names = (query.data ?? []).map(({ name }) => name);
  return (
    <>
      <SegmentedControl
        aria-label={t("Value maps: how")}
        value={fields.how}
        onChange={(how) => set({ how: how === "remove" ? "remove" : "copy" })}
        data={[
          { value: "copy", label: t("Add or update") },
          { value: "remove", label: t("Remove") },
        ]}
      />
      {fields.how === "remove" ? (
        <TagsInput
          aria-label={t("Names of value maps")}
          placeholder={t("Press Enter after each name")}
          value={[...fields.removed]}
          onChange={(removed) => set({ removed })}
        />
      ) : (
        <>
          <TemplatePicker
            label=""
            placeholder={t("Source template")}
            value={fields.from === undefined ? [] : [fields.from]}
            // the last one that was picked
            onChange={(ids) => set({ from: ids.at(-1), names: undefined })}
          />
          {fields.from === undefined ? null : (
            <MultiSelect
              aria-label={t("Value maps to copy")}
              data={names}
              value={[...(fields.names ?? names)]}
              onChange={(chosen) => set({ names: chosen })}
              searchable
              nothingFoundMessage={t("It has no value maps.")}
            />
          )}
        </>
      )}
    </>
  );
}
