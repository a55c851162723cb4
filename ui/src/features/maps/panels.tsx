// Next to the sheet: the fields of what is selected, or of the map.

import { ActionIcon, Button, NumberInput, Switch, Textarea, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { fetchHostGroups } from "@/api/groups";
import type {
  ElementTarget,
  ImageRow,
  LinkTrigger,
  MapDraft,
  MapElement,
  MapFields,
  MapLine,
  MapLink,
  MapShape,
  NamedUrl,
} from "@/api/maps";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { SEVERITIES, severityName } from "@/lib/severity";
import { SharingFields } from "@/widgets/sharing";
import { type Fault, ITEM, indicatedBy, TRIGGERS } from "./draft";
import {
  CodeField,
  ColorField,
  HostField,
  ImageField,
  ItemField,
  NumberField,
  type OnePickerProps,
  TriggerField,
  useLinkItem,
} from "./fields";
import classes from "./maps.module.css";
import { useIconMaps, useMaps } from "./queries";

// who may give a map another owner
const ADMIN = 2;

const YES_NO = (value: string) => value === "1";
const asCode = (on: boolean) => (on ? "1" : "0");

const LOCATIONS: readonly (readonly [string, string])[] = [
  ["0", t("Bottom")],
  ["1", t("Left")],
  ["2", t("Right")],
  ["3", t("Top")],
];
const LINK_TYPES: readonly (readonly [string, string])[] = [
  ["0", t("Line")],
  ["2", t("Bold line")],
  ["3", t("Dotted")],
  ["4", t("Dashed")],
];
const LINE_TYPES: readonly (readonly [string, string])[] = [
  ["0", t("None")],
  ["1", t("Line")],
  ["2", t("Dotted")],
  ["3", t("Dashed")],
];
const SHOW_LABEL: readonly (readonly [string, string])[] = [
  ["-1", t("Map default")],
  ["1", t("Always")],
  ["0", t("On hover")],
];
const KINDS: readonly (readonly [string, string])[] = [
  ["0", t("Host")],
  ["3", t("Host group")],
  ["2", t("Trigger")],
  ["1", t("Map")],
  ["4", t("Image")],
];

export interface MapPanelProps {
  readonly draft: MapDraft;
  readonly images: readonly ImageRow[];
  readonly fault: Fault["what"] | undefined;
  readonly set: (change: Partial<MapFields>) => void;
}

export function MapPanel({ draft, images, fault, set }: MapPanelProps) {
  const iconMaps = useIconMaps();
  const flag = (name: keyof MapFields, label: string) => (
    <Switch
      label={label}
      checked={YES_NO(draft[name])}
      onChange={(event) => set({ [name]: asCode(event.currentTarget.checked) })}
    />
  );
  return (
    <div className={classes["fields"]}>
      <h2>{t("Map")}</h2>
      <TextInput
        label={t("Name")}
        value={draft.name}
        maxLength={128}
        error={fault === "name" ? t("a name is required") : null}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <div className={classes["pair"]}>
        <NumberField label={t("Width")} value={draft.width} onChange={(width) => set({ width })} />
        <NumberField
          label={t("Height")}
          value={draft.height}
          onChange={(height) => set({ height })}
        />
      </div>
      {fault === "size" ? <span className="bad">{t("a size from 1 to 65535 pixels")}</span> : null}
      <ImageField
        label={t("Background")}
        kind="2"
        none={t("No image")}
        images={images}
        value={draft.backgroundid}
        onChange={(backgroundid) => set({ backgroundid })}
      />
      {draft.backgroundid === "0"
        ? null
        : flag("background_scale", t("Scale the background to the map size"))}
      <CodeField
        label={t("Labels")}
        value={draft.label_type}
        codes={[
          ["0", t("Label")],
          ["1", t("IP address")],
          ["2", t("Name")],
          ["3", t("Status only")],
          ["4", t("Nothing")],
        ]}
        onChange={(label_type) => set({ label_type })}
      />
      <CodeField
        label={t("Label location")}
        value={draft.label_location}
        codes={LOCATIONS}
        onChange={(label_location) => set({ label_location })}
      />
      <CodeField
        label={t("Display problems")}
        value={draft.expandproblem}
        codes={[
          ["0", t("Number")],
          ["1", t("Expand single problem")],
          ["2", t("Number of problems and the most critical one")],
        ]}
        onChange={(expandproblem) => set({ expandproblem })}
      />
      <CodeField
        label={t("Problem display")}
        value={draft.show_unack}
        codes={[
          ["0", t("All")],
          ["1", t("Unacknowledged")],
          ["2", t("Separated")],
        ]}
        onChange={(show_unack) => set({ show_unack })}
      />
      <CodeField
        label={t("Minimum severity")}
        value={draft.severity_min}
        codes={SEVERITIES.map((it) => [String(it), severityName(it)] as const)}
        onChange={(severity_min) => set({ severity_min })}
      />
      <CodeField
        label={t("Icon map")}
        value={draft.iconmapid}
        codes={[
          ["0", t("None")],
          ...(iconMaps.data ?? []).map((it) => [it.iconmapid, it.name] as const),
        ]}
        onChange={(iconmapid) => set({ iconmapid })}
      />
      {flag("show_element_label", t("Always show element labels"))}
      {flag("show_link_label", t("Always show link labels"))}
      {flag("highlight", t("Icon highlight"))}
      {flag("markelements", t("Mark elements on trigger status change"))}
      {flag("show_suppressed", t("Show suppressed problems"))}
      <h2>{t("Sharing")}</h2>
      <SharingFields sharing={draft} mayGive={ADMIN} publicIsRead onChange={set} />
    </div>
  );
}

export interface ElementPanelProps {
  readonly element: MapElement;
  readonly draft: MapDraft;
  readonly images: readonly ImageRow[];
  /** the map's own, which no element of it can show */
  readonly sysmapid: Id | undefined;
  readonly fault: Fault["what"] | undefined;
  readonly set: (change: Partial<MapElement>) => void;
}

export function ElementPanel(props: ElementPanelProps) {
  const { element, images, fault, set } = props;
  const isGroup = element.elementtype === "3";
  const icon = (name: "iconid_on" | "iconid_disabled" | "iconid_maintenance", label: string) => (
    <ImageField
      label={label}
      kind="1"
      none={t("Default icon")}
      images={images}
      value={element[name]}
      onChange={(id) => set({ [name]: id })}
    />
  );
  return (
    <div className={classes["fields"]}>
      <h2>{t("Element")}</h2>
      <CodeField
        label={t("Type")}
        value={element.elementtype}
        codes={KINDS}
        onChange={(elementtype) => set({ elementtype, elements: [] })}
      />
      <Targets {...props} />
      <Textarea
        label={t("Label")}
        description={t("Macros such as {HOST.NAME} are expanded")}
        autosize
        minRows={1}
        maxRows={6}
        maxLength={2048}
        value={element.label}
        onChange={(event) => set({ label: event.currentTarget.value })}
      />
      <CodeField
        label={t("Label location")}
        value={element.label_location}
        codes={[["-1", t("Map default")], ...LOCATIONS]}
        onChange={(label_location) => set({ label_location })}
      />
      <CodeField
        label={t("Show label")}
        value={element.show_label}
        codes={SHOW_LABEL}
        onChange={(show_label) => set({ show_label })}
      />
      <ImageField
        label={t("Icon")}
        kind="1"
        images={images}
        value={element.iconid_off}
        error={fault === "icon" ? t("an icon is required") : undefined}
        onChange={(iconid_off) => set({ iconid_off })}
      />
      {element.elementtype === "4" ? null : (
        <>
          {icon("iconid_on", t("Icon in problem state"))}
          {icon("iconid_maintenance", t("Icon in maintenance"))}
          {icon("iconid_disabled", t("Icon if disabled"))}
        </>
      )}
      {element.elementtype === "0" && props.draft.iconmapid !== "0" ? (
        <Switch
          label={t("Automatic icon selection")}
          checked={YES_NO(element.use_iconmap)}
          onChange={(event) => set({ use_iconmap: asCode(event.currentTarget.checked) })}
        />
      ) : null}
      {isGroup ? (
        <Switch
          label={t("Show host group elements")}
          checked={YES_NO(element.elementsubtype)}
          onChange={(event) => set({ elementsubtype: asCode(event.currentTarget.checked) })}
        />
      ) : null}
      {isGroup && element.elementsubtype === "1" ? (
        <Switch
          label={t("Custom area size")}
          checked={YES_NO(element.areatype)}
          onChange={(event) => set({ areatype: asCode(event.currentTarget.checked) })}
        />
      ) : null}
      <div className={classes["pair"]}>
        <NumberField label="X" value={element.x} onChange={(x) => set({ x })} />
        <NumberField label="Y" value={element.y} onChange={(y) => set({ y })} />
      </div>
      {isGroup && element.elementsubtype === "1" && element.areatype === "1" ? (
        <div className={classes["pair"]}>
          <NumberField
            label={t("Width")}
            value={element.width}
            onChange={(width) => set({ width })}
          />
          <NumberField
            label={t("Height")}
            value={element.height}
            onChange={(height) => set({ height })}
          />
        </div>
      ) : null}
      <Urls urls={element.urls} onChange={(urls) => set({ urls })} />
    </div>
  );
}

/** What an element stands for. */
function Targets({ element, sysmapid, fault, set }: ElementPanelProps) {
  const error = fault === "target" ? t("select an object to show") : undefined;
  const [first] = element.elements;
  const one = (field: keyof ElementTarget): OnePickerProps => ({
    label: KINDS.find(([code]) => code === element.elementtype)?.[1] ?? "",
    value: first?.[field] ?? "",
    error,
    onChange: (id) => set({ elements: id === "" ? [] : [{ [field]: id } as ElementTarget] }),
  });
  switch (element.elementtype) {
    case "0":
      return <HostField {...one("hostid")} />;
    case "1":
      return <MapField {...one("sysmapid")} without={sysmapid} />;
    case "3":
      return <GroupField {...one("groupid")} />;
    case "2":
      return <Triggers element={element} error={error} set={set} />;
    default:
      return null;
  }
}

function MapField({ without, ...props }: OnePickerProps & { readonly without: Id | undefined }) {
  const maps = (useMaps().data ?? []).filter(({ sysmapid }) => sysmapid !== without);
  return (
    <CodeField
      label={props.label}
      value={props.value}
      codes={maps.map((it) => [it.sysmapid, it.name] as const)}
      onChange={props.onChange}
    />
  );
}

function GroupField(props: OnePickerProps) {
  const groups = useQuery({
    queryKey: keys.hostGroups,
    queryFn: ({ signal }) => fetchHostGroups(signal),
  });
  return (
    <CodeField
      label={props.label}
      value={props.value}
      codes={(groups.data ?? []).map((it) => [it.groupid, it.name] as const)}
      onChange={props.onChange}
    />
  );
}

interface TriggersProps {
  readonly element: MapElement;
  readonly error: string | undefined;
  readonly set: (change: Partial<MapElement>) => void;
}

function Triggers({ element, error, set }: TriggersProps) {
  const ids = element.elements.flatMap(({ triggerid }) => triggerid ?? []);
  const change = (next: readonly Id[]) =>
    set({ elements: [...new Set(next)].map((triggerid): ElementTarget => ({ triggerid })) });
  return (
    <div className={classes["group"]}>
      {[...ids, ""].map((id, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the last one is none yet
        <div className={classes["lineRow"]} key={at}>
          <TriggerField
            label={id === "" ? t("Add trigger") : t("Trigger {n}", { n: at + 1 })}
            value={id}
            error={ids.length === 0 ? error : undefined}
            onChange={(next) =>
              change([...ids.slice(0, at), ...(next === "" ? [] : [next]), ...ids.slice(at + 1)])
            }
          />
          {id === "" ? null : (
            <ActionIcon
              aria-label={t("Remove trigger {n}", { n: at + 1 })}
              onClick={() => change(ids.filter((it) => it !== id))}
            >
              <IconX size={14} />
            </ActionIcon>
          )}
        </div>
      ))}
    </div>
  );
}

interface UrlsProps {
  readonly urls: readonly NamedUrl[];
  readonly onChange: (urls: readonly NamedUrl[]) => void;
}

function Urls({ urls, onChange }: UrlsProps) {
  const change = (at: number, part: Partial<NamedUrl>) =>
    onChange(urls.map((it, n) => (n === at ? { ...it, ...part } : it)));
  return (
    <div className={classes["fields"]}>
      {urls.map(({ name, url }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names change as one types
        <div className={classes["group"]} key={at}>
          <div className={classes["lineRow"]}>
            <TextInput
              label={t("Name of address {n}", { n: at + 1 })}
              value={name}
              onChange={(event) => change(at, { name: event.currentTarget.value })}
            />
            <ActionIcon
              aria-label={t("Remove address {n}", { n: at + 1 })}
              onClick={() => onChange(urls.filter((_, n) => n !== at))}
            >
              <IconX size={14} />
            </ActionIcon>
          </div>
          <TextInput
            label={t("Address {n}", { n: at + 1 })}
            value={url}
            onChange={(event) => change(at, { url: event.currentTarget.value })}
          />
        </div>
      ))}
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconPlus size={13} />}
        onClick={() => onChange([...urls, { name: "", url: "" }])}
      >
        {t("Add address")}
      </Button>
    </div>
  );
}

export interface LinkPanelProps {
  readonly link: MapLink;
  readonly fault: Fault["what"] | undefined;
  readonly set: (change: Partial<MapLink>) => void;
}

export function LinkPanel({ link, fault, set }: LinkPanelProps) {
  return (
    <div className={classes["fields"]}>
      <h2>{t("Link")}</h2>
      <Textarea
        label={t("Label")}
        description={t("{?last(/host/key)} is replaced with the item value")}
        autosize
        minRows={1}
        maxRows={4}
        maxLength={2048}
        value={link.label}
        onChange={(event) => set({ label: event.currentTarget.value })}
      />
      <div className={classes["pair"]}>
        <CodeField
          label={t("Line")}
          value={link.drawtype}
          codes={LINK_TYPES}
          onChange={(drawtype) => set({ drawtype })}
        />
        <ColorField label={t("Color")} value={link.color} onChange={(color) => set({ color })} />
      </div>
      <CodeField
        label={t("Show label")}
        value={link.show_label}
        codes={SHOW_LABEL}
        onChange={(show_label) => set({ show_label })}
      />
      <CodeField
        label={t("Indicators")}
        value={link.indicator_type}
        codes={[
          ["0", t("Nothing")],
          [TRIGGERS, t("Triggers")],
          [ITEM, t("Value of an item")],
        ]}
        onChange={(kind) => set(indicatedBy(kind))}
      />
      {fault === "indicator" ? (
        <span className="bad">
          {link.indicator_type === TRIGGERS
            ? t("a trigger is required")
            : t(
                "an item is required; thresholds must be different numbers; patterns must not be empty",
              )}
        </span>
      ) : null}
      {link.indicator_type === ITEM ? <ItemLook link={link} set={set} /> : null}
      {link.indicator_type === TRIGGERS ? <TriggerLooks link={link} set={set} /> : null}
    </div>
  );
}

function TriggerLooks({ link, set }: Omit<LinkPanelProps, "fault">) {
  const change = (at: number, part: Partial<LinkTrigger>) =>
    set({ linktriggers: link.linktriggers.map((it, n) => (n === at ? { ...it, ...part } : it)) });
  const add = (triggerid: Id) => {
    if (triggerid === "" || link.linktriggers.some((it) => it.triggerid === triggerid)) return;
    set({ linktriggers: [...link.linktriggers, { triggerid, color: "DD0000", drawtype: "2" }] });
  };
  return (
    <>
      {link.linktriggers.map((it, at) => (
        <div className={classes["group"]} key={it.triggerid}>
          <div className={classes["lineRow"]}>
            <TriggerField
              label={t("Trigger {n}", { n: at + 1 })}
              value={it.triggerid}
              onChange={(triggerid) => change(at, { triggerid })}
            />
            <ActionIcon
              aria-label={t("Remove trigger {n}", { n: at + 1 })}
              onClick={() => set({ linktriggers: link.linktriggers.filter((_, n) => n !== at) })}
            >
              <IconX size={14} />
            </ActionIcon>
          </div>
          <div className={classes["pair"]}>
            <CodeField
              label={t("Line in problem state")}
              value={it.drawtype}
              codes={LINK_TYPES}
              onChange={(drawtype) => change(at, { drawtype })}
            />
            <ColorField
              label={t("Color in problem state")}
              value={it.color}
              onChange={(color) => change(at, { color })}
            />
          </div>
        </div>
      ))}
      <TriggerField label={t("Add trigger")} value="" onChange={add} />
    </>
  );
}

/** The item, and how the link looks from which value on, or by which pattern. */
function ItemLook({ link, set }: Omit<LinkPanelProps, "fault">) {
  const item = useLinkItem(link.itemid);
  const isNumeric = item?.isNumeric ?? link.highlights.length === 0;
  return (
    <>
      <ItemField
        label={t("Item")}
        value={link.itemid === "0" ? "" : link.itemid}
        // what is there is of the item before
        onChange={(itemid) =>
          set({ itemid: itemid === "" ? "0" : itemid, thresholds: [], highlights: [] })
        }
      />
      {link.itemid === "0" ? null : isNumeric ? (
        <Looks
          label={(n) => t("From value {n}", { n })}
          remove={(n) => t("Remove threshold {n}", { n })}
          add={t("Add threshold")}
          of="threshold"
          looks={link.thresholds}
          fresh={{ threshold: "", color: "DD0000", drawtype: "2" }}
          onChange={(thresholds) => set({ thresholds })}
        />
      ) : (
        <Looks
          label={(n) => t("Pattern {n}", { n })}
          remove={(n) => t("Remove pattern {n}", { n })}
          add={t("Add pattern")}
          of="pattern"
          looks={link.highlights}
          fresh={{ pattern: "", color: "DD0000", drawtype: "2" }}
          onChange={(highlights) => set({ highlights })}
        />
      )}
    </>
  );
}

interface Look {
  readonly color: string;
  readonly drawtype: string;
}

interface LooksProps<T extends Look> {
  readonly label: (n: number) => string;
  readonly remove: (n: number) => string;
  readonly add: string;
  /** the field that says when */
  readonly of: keyof T & string;
  readonly looks: readonly T[];
  readonly fresh: T;
  readonly onChange: (looks: readonly T[]) => void;
}

function Looks<T extends Look>(props: LooksProps<T>) {
  const { label, remove, add, of, looks, fresh, onChange } = props;
  const change = (at: number, part: Partial<T>) =>
    onChange(looks.map((it, n) => (n === at ? { ...it, ...part } : it)));
  return (
    <>
      {looks.map((it, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are what they are by their place
        <div className={classes["group"]} key={at}>
          <div className={classes["lineRow"]}>
            <TextInput
              label={label(at + 1)}
              value={String(it[of])}
              maxLength={255}
              onChange={(event) =>
                change(at, { [of]: event.currentTarget.value } as unknown as Partial<T>)
              }
            />
            <ActionIcon
              aria-label={remove(at + 1)}
              onClick={() => onChange(looks.filter((_, n) => n !== at))}
            >
              <IconX size={14} />
            </ActionIcon>
          </div>
          <div className={classes["pair"]}>
            <CodeField
              label={t("Line type")}
              value={it.drawtype}
              codes={LINK_TYPES}
              onChange={(drawtype) => change(at, { drawtype } as Partial<T>)}
            />
            <ColorField
              label={t("Line color")}
              value={it.color}
              onChange={(color) => change(at, { color } as Partial<T>)}
            />
          </div>
        </div>
      ))}
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconPlus size={13} />}
        onClick={() => onChange([...looks, fresh])}
      >
        {add}
      </Button>
    </>
  );
}

export interface ShapePanelProps {
  readonly shape: MapShape;
  readonly set: (change: Partial<MapShape>) => void;
}

export function ShapePanel({ shape, set }: ShapePanelProps) {
  return (
    <div className={classes["fields"]}>
      <h2>{t("Shape")}</h2>
      <CodeField
        label={t("Type")}
        value={shape.type}
        codes={[
          ["0", t("Rectangle")],
          ["1", t("Ellipse")],
        ]}
        onChange={(type) => set({ type })}
      />
      <Textarea
        label={t("Text")}
        autosize
        minRows={2}
        maxRows={8}
        value={shape.text}
        onChange={(event) => set({ text: event.currentTarget.value })}
      />
      <div className={classes["pair"]}>
        <NumberField
          label={t("Font size")}
          value={shape.font_size}
          onChange={(font_size) => set({ font_size })}
        />
        <ColorField
          label={t("Text color")}
          value={shape.font_color}
          onChange={(font_color) => set({ font_color })}
        />
        <CodeField
          label={t("Horizontal alignment")}
          value={shape.text_halign}
          codes={[
            ["1", t("Left")],
            ["0", t("Center")],
            ["2", t("Right")],
          ]}
          onChange={(text_halign) => set({ text_halign })}
        />
        <CodeField
          label={t("Vertical alignment")}
          value={shape.text_valign}
          codes={[
            ["1", t("Top")],
            ["0", t("Middle")],
            ["2", t("Bottom")],
          ]}
          onChange={(text_valign) => set({ text_valign })}
        />
        <CodeField
          label={t("Border")}
          value={shape.border_type}
          codes={LINE_TYPES}
          onChange={(border_type) => set({ border_type })}
        />
        <NumberField
          label={t("Border width")}
          value={shape.border_width}
          onChange={(border_width) => set({ border_width })}
        />
        <ColorField
          label={t("Border color")}
          value={shape.border_color}
          onChange={(border_color) => set({ border_color })}
        />
        <ColorField
          label={t("Background color")}
          value={shape.background_color}
          onChange={(background_color) => set({ background_color })}
        />
        <NumberField label="X" value={shape.x} onChange={(x) => set({ x })} />
        <NumberField label="Y" value={shape.y} onChange={(y) => set({ y })} />
        <NumberField label={t("Width")} value={shape.width} onChange={(width) => set({ width })} />
        <NumberField
          label={t("Height")}
          value={shape.height}
          onChange={(height) => set({ height })}
        />
      </div>
      <Level value={shape.zindex} onChange={(zindex) => set({ zindex })} />
    </div>
  );
}

function Level({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <NumberInput
      label={t("Level: shapes with a higher level are drawn on top")}
      value={Number(value)}
      onChange={(it) => onChange(String(Math.round(Number(it) || 0)))}
    />
  );
}

export interface LinePanelProps {
  readonly line: MapLine;
  readonly set: (change: Partial<MapLine>) => void;
}

export function LinePanel({ line, set }: LinePanelProps) {
  return (
    <div className={classes["fields"]}>
      <h2>{t("Line")}</h2>
      <div className={classes["pair"]}>
        <CodeField
          label={t("Type")}
          value={line.line_type}
          codes={LINE_TYPES}
          onChange={(line_type) => set({ line_type })}
        />
        <NumberField
          label={t("Width")}
          value={line.line_width}
          onChange={(line_width) => set({ line_width })}
        />
        <ColorField
          label={t("Color")}
          value={line.line_color}
          onChange={(line_color) => set({ line_color })}
        />
      </div>
      <Level value={line.zindex} onChange={(zindex) => set({ zindex })} />
    </div>
  );
}
