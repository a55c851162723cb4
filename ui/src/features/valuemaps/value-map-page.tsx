// A value map: names of values, the first that fits counts.

import { ActionIcon, Button, Select, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import type { Id } from "@/api/types";
import { VALUE_MAPS, type ValueMapDraft, type WholeValueMap } from "@/api/value-maps";
import { t } from "@/lib/i18n";
import type { Owner } from "@/lib/owner";
import { Section } from "@/ui/form";
import { keyed, withAt, withoutAt } from "@/widgets/keyed";
import classes from "@/widgets/list-editor.module.css";
import type { ObjectCalls } from "@/widgets/objects/calls";
import { NameField } from "@/widgets/objects/fields";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import { ObjectPage } from "@/widgets/objects/object-page";
import { useObject } from "@/widgets/objects/queries";
import {
  draftOfMap,
  hasValue,
  isMapComplete,
  MAPPING_KINDS,
  newMapping,
  type ValueMapFields,
} from "./mappings";

export interface ValueMapPageProps {
  readonly owner: Owner;
  readonly valuemapid: Id | "new";
  readonly onDone: () => void;
}

function callsOf(owner: Owner): ObjectCalls<ValueMapDraft> {
  return {
    ...VALUE_MAPS,
    words: {
      one: t("Value map"),
      create: t("New value map"),
      remove: t("Delete value map"),
      loss: t("Items that use it will show raw values."),
      absent: t("There is no such value map."),
      saved: t("Value map saved"),
      notRemoved: t("The value map could not be deleted."),
    },
    change: VALUE_MAPS.object,
    create: (draft) => VALUE_MAPS.create({ hostid: owner.id, ...draft }),
  };
}

export function ValueMapPage({ owner, valuemapid, onDone }: ValueMapPageProps) {
  const query = useObject(VALUE_MAPS, valuemapid);
  const calls = callsOf(owner);
  return (
    <ObjectPage id={valuemapid} words={calls.words} query={query}>
      {(map) => (
        <ObjectForm
          key={valuemapid}
          calls={calls}
          existing={map && { id: map.valuemapid, name: map.name }}
          first={() => fieldsOf(map)}
          isComplete={isMapComplete}
          draftOf={draftOfMap}
          cloned={(fields: ValueMapFields) => ({ name: `${fields.name} (copy)` })}
          onDone={onDone}
        >
          {(parts) => <Sections {...parts} />}
        </ObjectForm>
      )}
    </ObjectPage>
  );
}

function fieldsOf(map: WholeValueMap | undefined): ValueMapFields {
  return { name: map?.name ?? "", mappings: map?.mappings.map(keyed) ?? [newMapping()] };
}

function Sections(parts: FormParts<ValueMapFields>) {
  const { fields, set, attempted } = parts;
  const { mappings } = fields;
  return (
    <>
      <Section title={t("Value map")}>
        <NameField {...parts} />
      </Section>
      <Section title={t("Values")} hint={t("The first mapping that matches is used.")}>
        <div className={classes["list"]}>
          {mappings.map((mapping, at) => (
            <div key={mapping.key} className={classes["line"]}>
              <Select
                aria-label={t("Type of mapping {n}", { n: at + 1 })}
                data={MAPPING_KINDS.map(({ value, label }) => ({ value, label }))}
                value={mapping.type}
                allowDeselect={false}
                onChange={(type) => set({ mappings: withAt(mappings, at, { type: type ?? "0" }) })}
              />
              <TextInput
                aria-label={t("Value {n}", { n: at + 1 })}
                placeholder={t("value")}
                disabled={!hasValue(mapping)}
                value={hasValue(mapping) ? mapping.value : ""}
                onChange={(event) =>
                  set({ mappings: withAt(mappings, at, { value: event.currentTarget.value }) })
                }
              />
              <TextInput
                aria-label={t("Name of value {n}", { n: at + 1 })}
                placeholder={t("name")}
                value={mapping.newvalue}
                error={attempted && mapping.newvalue === "" ? t("a name is required") : null}
                onChange={(event) =>
                  set({ mappings: withAt(mappings, at, { newvalue: event.currentTarget.value }) })
                }
              />
              <ActionIcon
                aria-label={t("Remove mapping {n}", { n: at + 1 })}
                onClick={() => set({ mappings: withoutAt(mappings, at) })}
              >
                <IconX size={14} />
              </ActionIcon>
            </div>
          ))}
          <div>
            <Button
              variant="default"
              size="compact-xs"
              leftSection={<IconPlus size={13} />}
              onClick={() => set({ mappings: [...mappings, newMapping()] })}
            >
              {t("Add mapping")}
            </Button>
          </div>
        </div>
      </Section>
    </>
  );
}
