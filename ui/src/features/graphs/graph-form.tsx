// A graph or graph prototype: what it shows, how, and how that looks.

import { ActionIcon, Select, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import type { StoredGraph } from "@/api/graphs";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import type { Owner } from "@/lib/owner";
import type { TimeRange } from "@/lib/time";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { kindName } from "@/widgets/graph/kinds";
import { StoredGraphFigure } from "@/widgets/graph/stored-graph";
import { useZoom } from "@/widgets/graph/zoom";
import { type Keyed, moved, withAt, withoutAt } from "@/widgets/keyed";
import { NameField, Toggle } from "@/widgets/objects/fields";
import { MoveButtons } from "@/widgets/objects/lines";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import { HostPicker } from "@/widgets/pickers";
import {
  checkColor,
  checkNumber,
  checkPercent,
  checkPixels,
  draftOfGraph,
  type EndFields,
  FIXED,
  fieldsOfGraph,
  type GraphFields,
  isGraphComplete,
  isPie,
  type LineFields,
  newLine,
  OF_ITEM,
  previewOf,
} from "./draft";
import classes from "./graphs.module.css";
import { GRAPH_PROTOTYPES, GRAPHS, type OfferedItem, useOfferedItems } from "./queries";

export interface GraphFormProps {
  readonly owner: Owner;
  readonly graph: StoredGraph | undefined;
  /** of a prototype: its rule */
  readonly ruleid?: Id;
  readonly onDone: () => void;
}

export function GraphForm({ owner, graph, ruleid, onDone }: GraphFormProps) {
  const isPrototype = ruleid !== undefined;
  return (
    <ObjectForm
      calls={isPrototype ? GRAPH_PROTOTYPES : GRAPHS}
      existing={graph && { id: graph.graphid, name: graph.name }}
      first={() => fieldsOfGraph(graph)}
      isComplete={isGraphComplete}
      draftOf={(fields) => draftOfGraph(fields, isPrototype)}
      cloned={({ name }) => ({ name: t("{name} (copy)", { name }) })}
      onDone={onDone}
    >
      {(parts) => <Sections {...parts} owner={owner} graph={graph} ruleid={ruleid} />}
    </ObjectForm>
  );
}

interface SectionsProps extends FormParts<GraphFields> {
  readonly owner: Owner;
  readonly graph: StoredGraph | undefined;
  readonly ruleid: Id | undefined;
}

const KINDS: readonly StoredGraph["kind"][] = ["normal", "stacked", "pie", "exploded"];

function Sections(props: SectionsProps) {
  const { fields, set, attempted, owner, graph, ruleid } = props;
  // items of other hosts can be shown along with those of the host
  const [others, setOthers] = useState<readonly Id[]>(() =>
    owner.kind === "template"
      ? []
      : (graph?.hosts ?? []).map((it) => it.hostid).filter((it) => it !== owner.id),
  );
  const offered = useOfferedItems([owner.id, ...others], ruleid);
  const pie = isPie(fields.kind);
  return (
    <>
      <Section title={t("Graph")}>
        <NameField {...props} />
        <Row>
          <Select
            label={t("Graph type")}
            data={KINDS.map((kind) => ({ value: kind, label: kindName(kind) }))}
            value={fields.kind}
            allowDeselect={false}
            onChange={(kind) => set({ kind: KINDS.find((it) => it === kind) ?? "normal" })}
          />
          <CheckedInput
            label={t("Width")}
            value={fields.width}
            onChange={(width) => set({ width })}
            check={checkPixels}
          />
          <CheckedInput
            label={t("Height")}
            value={fields.height}
            onChange={(height) => set({ height })}
            check={checkPixels}
          />
        </Row>
        <div className={classes["toggles"]}>
          <Toggle
            label={t("Legend")}
            checked={fields.hasLegend}
            onChange={(hasLegend) => set({ hasLegend })}
          />
          {pie ? (
            <Toggle
              label={t("3D")}
              checked={fields.isSolid}
              onChange={(isSolid) => set({ isSolid })}
            />
          ) : (
            <>
              <Toggle
                label={t("Triggers")}
                checked={fields.hasThresholds}
                onChange={(hasThresholds) => set({ hasThresholds })}
              />
              <Toggle
                label={t("Working time")}
                checked={fields.hasWorkTime}
                onChange={(hasWorkTime) => set({ hasWorkTime })}
              />
            </>
          )}
          {ruleid === undefined ? null : (
            <Toggle
              label={t("Discover")}
              checked={fields.isDiscovered}
              onChange={(isDiscovered) => set({ isDiscovered })}
            />
          )}
        </div>
      </Section>
      {pie ? null : <Axes {...props} offered={offered} />}
      <Section
        title={t("Items")}
        hint={t("Items are drawn in this order; stacked items from the bottom up.")}
      >
        {owner.kind === "template" ? null : (
          <HostPicker
            label={t("Other hosts")}
            placeholder={t("Include items of other hosts")}
            value={others}
            onChange={(ids) => setOthers(ids.filter((it) => it !== owner.id))}
          />
        )}
        <ItemLines fields={fields} set={set} offered={offered} />
        {attempted && fields.lines.length === 0 ? (
          <p className="bad" role="alert">
            {t("an item is required")}
          </p>
        ) : null}
      </Section>
      {owner.kind === "template" || ruleid !== undefined ? null : (
        <Section title={t("Preview")}>
          <Preview fields={fields} />
        </Section>
      )}
    </>
  );
}

interface AxesProps extends FormParts<GraphFields> {
  readonly offered: readonly OfferedItem[];
}

function Axes({ fields, set, offered }: AxesProps) {
  return (
    <Section title={t("Axes")} hint={t("Limits of the value axes, and percentile lines.")}>
      <End
        label={t("Y axis MIN value")}
        end={fields.min}
        onChange={(min) => set({ min })}
        offered={offered}
      />
      <End
        label={t("Y axis MAX value")}
        end={fields.max}
        onChange={(max) => set({ max })}
        offered={offered}
      />
      {fields.kind === "normal" ? (
        <Row>
          <CheckedInput
            label={t("Percentile line (left), %")}
            value={fields.percentLeft}
            onChange={(percentLeft) => set({ percentLeft })}
            check={checkPercent}
          />
          <CheckedInput
            label={t("Percentile line (right), %")}
            value={fields.percentRight}
            onChange={(percentRight) => set({ percentRight })}
            check={checkPercent}
          />
        </Row>
      ) : null}
    </Section>
  );
}

interface EndProps {
  readonly label: string;
  readonly end: EndFields;
  readonly onChange: (end: EndFields) => void;
  readonly offered: readonly OfferedItem[];
}

function End({ label, end, onChange, offered }: EndProps) {
  return (
    <Row>
      <Select
        label={label}
        data={[
          { value: "0", label: t("Calculated") },
          { value: FIXED, label: t("Fixed") },
          { value: OF_ITEM, label: t("Item") },
        ]}
        value={end.type}
        allowDeselect={false}
        onChange={(type) => onChange({ ...end, type: type ?? "0" })}
      />
      {end.type === FIXED ? (
        <CheckedInput
          label={t("Value")}
          value={end.value}
          onChange={(value) => onChange({ ...end, value })}
          check={checkNumber}
        />
      ) : null}
      {end.type === OF_ITEM ? (
        <Select
          label={t("Item")}
          searchable
          limit={ITEMS_OFFERED}
          data={offered.map(({ itemid, name }) => ({ value: itemid, label: name }))}
          value={end.itemid === "" ? null : end.itemid}
          onChange={(itemid) => onChange({ ...end, itemid: itemid ?? "" })}
        />
      ) : null}
    </Row>
  );
}

const ITEMS_OFFERED = 100;

interface ItemLinesProps {
  readonly fields: GraphFields;
  readonly set: (change: Partial<GraphFields>) => void;
  readonly offered: readonly OfferedItem[];
}

function ItemLines({ fields, set, offered }: ItemLinesProps) {
  const { lines, kind } = fields;
  const names = useMemo(() => new Map(offered.map((it) => [it.itemid, it.name])), [offered]);
  const free = offered.filter(({ itemid }) => !lines.some((line) => line.itemid === itemid));
  return (
    <>
      <ol className={classes["lines"]}>
        {lines.map((line, at) => (
          <li key={line.key}>
            <ItemLine
              n={at + 1}
              line={line}
              name={names.get(line.itemid) ?? t("Item {id}", { id: line.itemid })}
              kind={kind}
              onChange={(change) => set({ lines: withAt<Keyed<LineFields>>(lines, at, change) })}
              onRemove={() => set({ lines: withoutAt(lines, at) })}
              move={(by) =>
                lines[at + by] === undefined
                  ? undefined
                  : () => set({ lines: moved(lines, at, at + by) })
              }
            />
          </li>
        ))}
      </ol>
      <Select
        key={lines.length}
        aria-label={t("Add item")}
        placeholder={t("Add item")}
        searchable
        limit={ITEMS_OFFERED}
        nothingFoundMessage={t("No such item")}
        data={free.map(({ itemid, name, note }) => ({ value: itemid, label: `${name} – ${note}` }))}
        value={null}
        onChange={(itemid) => {
          if (itemid !== null) set({ lines: [...lines, newLine(itemid, kind, lines)] });
        }}
      />
    </>
  );
}

interface ItemLineProps {
  readonly n: number;
  readonly line: LineFields;
  readonly name: string;
  readonly kind: StoredGraph["kind"];
  readonly onChange: (change: Partial<LineFields>) => void;
  readonly onRemove: () => void;
  readonly move: (by: -1 | 1) => (() => void) | undefined;
}

function ItemLine({ n, line, name, kind, onChange, onRemove, move }: ItemLineProps) {
  const pie = isPie(kind);
  return (
    <div className={classes["line"]}>
      <span className={`${classes["lineName"]} ellipsis`} title={name}>
        {n}. {name}
      </span>
      <label className={classes["color"]}>
        <input
          type="color"
          aria-label={t("Color of item {n}", { n })}
          value={checkColor(line.color).ok ? `#${line.color.toLowerCase()}` : "#000000"}
          onChange={(event) =>
            onChange({ color: event.currentTarget.value.slice(1).toUpperCase() })
          }
        />
      </label>
      <TextInput
        aria-label={t("Color code of item {n}", { n })}
        className={classes["code"] ?? ""}
        classNames={{ input: "mono" }}
        value={line.color}
        error={!checkColor(line.color).ok}
        onChange={(event) => onChange({ color: event.currentTarget.value.toUpperCase() })}
      />
      <Select
        aria-label={t("Function of item {n}", { n })}
        data={[...calcNames(pie)]}
        value={line.calc_fnc}
        allowDeselect={false}
        onChange={(calc) => onChange({ calc_fnc: calc ?? line.calc_fnc })}
      />
      {pie ? (
        <Select
          aria-label={t("Type of item {n}", { n })}
          data={[
            { value: "0", label: t("Simple") },
            { value: "2", label: t("Graph sum") },
          ]}
          value={line.type}
          allowDeselect={false}
          onChange={(type) => onChange({ type: type ?? "0" })}
        />
      ) : (
        <Select
          aria-label={t("Axis of item {n}", { n })}
          data={[
            { value: "0", label: t("Left axis") },
            { value: "1", label: t("Right axis") },
          ]}
          value={line.yaxisside}
          allowDeselect={false}
          onChange={(side) => onChange({ yaxisside: side ?? "0" })}
        />
      )}
      {kind === "normal" ? (
        <Select
          aria-label={t("Draw style of item {n}", { n })}
          data={[...drawNames()]}
          value={line.drawtype}
          allowDeselect={false}
          onChange={(draw) => onChange({ drawtype: draw ?? "0" })}
        />
      ) : null}
      <MoveButtons what={t("item {n}", { n })} move={move} />
      <ActionIcon aria-label={t("Remove item {n}", { n })} onClick={onRemove}>
        <IconX size={14} />
      </ActionIcon>
    </div>
  );
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

function calcNames(pie: boolean): readonly Choice[] {
  return [
    { value: "1", label: t("min") },
    { value: "2", label: t("avg") },
    { value: "4", label: t("max") },
    pie ? { value: "9", label: t("last") } : { value: "7", label: t("all") },
  ];
}

function drawNames(): readonly Choice[] {
  return [
    { value: "0", label: t("Line") },
    { value: "1", label: t("Filled region") },
    { value: "2", label: t("Bold line") },
    { value: "3", label: t("Dot") },
    { value: "4", label: t("Dashed line") },
    { value: "5", label: t("Gradient line") },
  ];
}

const PREVIEW_HEIGHT = 200;

function Preview({ fields }: { readonly fields: GraphFields }) {
  const [range, setRange] = useState<TimeRange>({ from: "now-1h", to: "now" });
  const zoom = useZoom(range, setRange);
  const graph = useMemo(() => previewOf(fields), [fields]);
  if (fields.lines.length === 0) return <p className="dim">{t("No items yet.")}</p>;
  return <StoredGraphFigure graph={graph} range={range} zoom={zoom} height={PREVIEW_HEIGHT} />;
}
