import { ActionIcon, SegmentedControl, Select, Tooltip } from "@mantine/core";
import { IconFilterOff } from "@tabler/icons-react";
import { memo, useState } from "react";
import { t } from "@/lib/i18n";
import { SEVERITIES_WORST_FIRST, type Severity, severityName } from "@/lib/severity";
import { formatCount } from "@/lib/units";
import { FilterChip } from "@/ui/filter-chip";
import { SearchBox } from "@/ui/search-box";
import { SeverityMark } from "@/ui/severity-mark";
import { tagText } from "@/ui/tags";
import {
  DEFAULT_FILTER,
  type ProblemFilter,
  type ProblemGrouping,
  readGrouping,
  tagOf,
  writeFilter,
} from "./filter";
import classes from "./problems.module.css";
import type { Typing } from "./typed-text";

export interface ProblemFiltersProps {
  readonly filter: ProblemFilter;
  /** undefined until all problems are there */
  readonly bySeverity: readonly number[] | undefined;
  readonly onChange: (change: Partial<ProblemFilter>) => void;
  readonly typing: Typing;
  /** names of hosts that the filter names */
  readonly hostName: (hostid: string) => string;
  /** names of groups that the filter names */
  readonly groupName: (groupid: string) => string;
  /** names of tags that problems have, those of the most first */
  readonly tagNames: () => Promise<readonly string[]>;
}

const AGES: readonly { readonly value: string; readonly label: string }[] = [
  { value: "0", label: t("Any age") },
  { value: "900", label: t("Last 15 min") },
  { value: "3600", label: t("Last hour") },
  { value: "86400", label: t("Last day") },
  { value: "604800", label: t("Last 7 days") },
];

const NO_GROUPING = "none";
const GROUPINGS = [
  { value: "host", label: t("By host") },
  { value: "group", label: t("By host group") },
  { value: "severity", label: t("By severity") },
  { value: "name", label: t("By problem") },
] as const;

export function ProblemFilters(props: ProblemFiltersProps) {
  const { filter, bySeverity, onChange, typing, hostName, groupName, tagNames } = props;
  const toggle = (severity: Severity) =>
    onChange({
      severities: filter.severities.includes(severity)
        ? filter.severities.filter((it) => it !== severity)
        : [...filter.severities, severity],
    });
  return (
    <>
      <SearchBox
        key={typing.field}
        value={filter.text}
        onChange={typing.type}
        onLeave={typing.settle}
        placeholder={t("Search problems and hosts")}
        yields
      />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box */}
      <div className={classes["severities"]} role="group" aria-label={t("Severities")}>
        {SEVERITIES_WORST_FIRST.map((severity) => (
          <button
            key={severity}
            type="button"
            title={severityName(severity)}
            aria-pressed={filter.severities.includes(severity)}
            onClick={() => toggle(severity)}
          >
            <SeverityMark severity={severity} quiet />
            <span className="unseen">{severityName(severity)}</span>
            <span>{bySeverity === undefined ? "…" : formatCount(bySeverity[severity] ?? 0)}</span>
          </button>
        ))}
      </div>
      <OtherFilters
        filter={filter}
        onChange={onChange}
        hostName={hostName}
        groupName={groupName}
        tagNames={tagNames}
      />
    </>
  );
}

type OtherFiltersProps = Omit<ProblemFiltersProps, "bySeverity" | "typing">;

/** They stay as they are when the list is another one. */
const OtherFilters = memo(function OtherFilters(props: OtherFiltersProps) {
  const { filter, onChange, hostName, groupName, tagNames } = props;
  const filtered = Object.keys(writeFilter(filter)).some(
    (it) => it !== "sort" && it !== "timeline" && it !== "by",
  );
  return (
    <>
      <SegmentedControl
        aria-label={t("Status")}
        value={filter.status}
        onChange={(status) => onChange({ status: status as ProblemFilter["status"] })}
        data={[
          { value: "recent", label: t("Recent") },
          { value: "open", label: t("Open") },
          { value: "resolved", label: t("Resolved") },
        ]}
      />
      <Select
        aria-label={t("Acknowledgement")}
        w={148}
        value={filter.ack}
        onChange={(ack) => onChange({ ack: (ack ?? "any") as ProblemFilter["ack"] })}
        data={[
          { value: "any", label: t("Ack: any") },
          { value: "no", label: t("Not acknowledged") },
          { value: "yes", label: t("Acknowledged") },
        ]}
      />
      <Select
        aria-label={t("Age")}
        w={142}
        value={String(filter.ageMax)}
        onChange={(age) => onChange({ ageMax: Number(age ?? 0) })}
        data={ageOptions(filter.ageMax)}
      />
      <Grouping
        grouping={filter.grouping}
        onChange={(grouping) => onChange({ grouping })}
        tagNames={tagNames}
      />
      {filter.tags.map((tag) => (
        <FilterChip
          key={tagText(tag)}
          name={tagText(tag)}
          onRemove={() => onChange({ tags: filter.tags.filter((it) => it !== tag) })}
        />
      ))}
      {filter.groupids.map((groupid) => (
        <FilterChip
          key={groupid}
          name={groupName(groupid)}
          onRemove={() => onChange({ groupids: filter.groupids.filter((it) => it !== groupid) })}
        />
      ))}
      {filter.hostids.map((hostid) => (
        <FilterChip
          key={hostid}
          name={hostName(hostid)}
          onRemove={() => onChange({ hostids: filter.hostids.filter((it) => it !== hostid) })}
        />
      ))}
      {filtered ? (
        <Tooltip label={t("Reset filters")}>
          <ActionIcon
            aria-label={t("Reset filters")}
            onClick={() =>
              onChange({
                ...DEFAULT_FILTER,
                sort: filter.sort,
                descending: filter.descending,
                timeline: filter.timeline,
                grouping: filter.grouping,
              })
            }
          >
            <IconFilterOff size={15} />
          </ActionIcon>
        </Tooltip>
      ) : null}
    </>
  );
});

interface GroupingProps {
  readonly grouping: ProblemGrouping | undefined;
  readonly onChange: (grouping: ProblemGrouping | undefined) => void;
  readonly tagNames: () => Promise<readonly string[]>;
}

/** By what is the same for all, or by the values of a tag: which tags there are is looked up when somebody asks. */
function Grouping({ grouping, onChange, tagNames }: GroupingProps) {
  const [names, setNames] = useState<readonly string[]>([]);
  const current = tagOf(grouping ?? "");
  const all = current === undefined || names.includes(current) ? names : [current, ...names];
  const options = [
    { value: NO_GROUPING, label: t("Not grouped") },
    ...GROUPINGS.map(({ value, label }) => ({ value, label })),
  ];
  const tags = all.map((name) => ({ value: `tag:${name}`, label: t("By tag {name}", { name }) }));
  return (
    <Select
      aria-label={t("Group by")}
      w={158}
      comboboxProps={{ width: "max-content" }}
      value={grouping ?? NO_GROUPING}
      onDropdownOpen={() => void tagNames().then(setNames, () => undefined)}
      onChange={(by) => onChange(by === null || by === NO_GROUPING ? undefined : readGrouping(by))}
      data={tags.length === 0 ? options : [...options, { group: t("Tags"), items: tags }]}
    />
  );
}

function ageOptions(current: number) {
  const options = AGES.map(({ value, label }) => ({ value, label }));
  const known = options.some(({ value }) => value === String(current));
  return known
    ? options
    : [...options, { value: String(current), label: t("Last {n} s", { n: current }) }];
}
