// An icon map: fields of the inventory, what they match, and the icon that then stands for the host.

import { Select, TextInput } from "@mantine/core";
import { INVENTORY_FIELDS } from "@/api/inventory";
import type { IconMap, IconMapping, ImageRow } from "@/api/maps";
import { t } from "@/lib/i18n";
import { Section } from "@/ui/form";
import { NameField } from "@/widgets/objects/fields";
import { Line, type LineParts, Lines, MoveButtons } from "@/widgets/objects/lines";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import { ImageField } from "./fields";
import {
  draftOf,
  fieldsOf,
  type IconMapFields,
  isComplete,
  isRepeated,
  NO_ICON,
  newMapping,
} from "./icon-mappings";
import classes from "./icon-maps.module.css";
import { ICON_MAPS } from "./queries";

export interface IconMapFormProps {
  readonly iconMap: IconMap | undefined;
  readonly images: readonly ImageRow[];
  readonly onDone: () => void;
}

export function IconMapForm({ iconMap, images, onDone }: IconMapFormProps) {
  return (
    <ObjectForm
      calls={ICON_MAPS}
      existing={iconMap && { id: iconMap.iconmapid, name: iconMap.name }}
      first={() => fieldsOf(iconMap)}
      isComplete={isComplete}
      draftOf={draftOf}
      onDone={onDone}
    >
      {(parts) => <Sections {...parts} images={images} />}
    </ObjectForm>
  );
}

interface SectionsProps extends FormParts<IconMapFields> {
  readonly images: readonly ImageRow[];
}

function Sections(parts: SectionsProps) {
  const { fields, set, attempted, images } = parts;
  return (
    <>
      <Section
        title={t("Icon map")}
        hint={t("A map that uses this icon map selects the icon of each host by its inventory.")}
      >
        <NameField {...parts} />
        <ImageField
          label={t("Default icon")}
          kind="1"
          images={images}
          value={fields.defaultIconid}
          error={
            attempted && fields.defaultIconid === NO_ICON ? t("an icon is required") : undefined
          }
          onChange={(defaultIconid) => set({ defaultIconid })}
        />
      </Section>
      <Section title={t("Mappings")} hint={t("The first mapping that matches is used.")}>
        <Lines
          lines={fields.mappings}
          onChange={(mappings) => set({ mappings })}
          add={t("Add mapping")}
          newLine={newMapping}
          error={attempted && fields.mappings.length === 0 ? t("a mapping is required") : undefined}
        >
          {(line) => (
            <MappingLine
              {...line}
              images={images}
              attempted={attempted}
              repeated={isRepeated(fields.mappings, line.n - 1)}
            />
          )}
        </Lines>
      </Section>
    </>
  );
}

interface MappingLineProps extends LineParts<IconMapping> {
  readonly images: readonly ImageRow[];
  readonly attempted: boolean;
  readonly repeated: boolean;
}

function MappingLine(props: MappingLineProps) {
  const { line, n, change, remove, move, images, attempted, repeated } = props;
  return (
    <Line remove={t("Remove mapping {n}", { n })} onRemove={remove}>
      <Select
        aria-label={t("Inventory field of mapping {n}", { n })}
        className={classes["field"] ?? ""}
        data={INVENTORY_FIELDS.map(({ title }, at) => ({
          value: String(at + 1),
          label: title,
        }))}
        searchable
        value={line.inventory_link}
        allowDeselect={false}
        onChange={(link) => link !== null && change({ inventory_link: link })}
      />
      <TextInput
        aria-label={t("Expression of mapping {n}", { n })}
        className={classes["expression"] ?? ""}
        classNames={{ input: "mono" }}
        placeholder={t("regular expression, or @name")}
        maxLength={64}
        spellCheck={false}
        autoComplete="off"
        value={line.expression}
        error={
          attempted && line.expression === ""
            ? t("an expression is required")
            : repeated && line.expression !== ""
              ? t("an earlier mapping has the same field and expression")
              : null
        }
        onChange={(event) => change({ expression: event.currentTarget.value })}
      />
      <div className={classes["icon"]}>
        <ImageField
          label={t("Icon of mapping {n}", { n })}
          hidden
          kind="1"
          images={images}
          value={line.iconid}
          error={attempted && line.iconid === NO_ICON ? t("an icon is required") : undefined}
          onChange={(iconid) => change({ iconid })}
        />
      </div>
      <MoveButtons what={t("mapping {n}", { n })} move={move} />
    </Line>
  );
}
