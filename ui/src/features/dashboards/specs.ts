// Fields that many widgets have, under the same names.

import { t } from "@/lib/i18n";
import { SEVERITIES, severityName } from "@/lib/severity";
import type { FieldSpec, Option } from "./kind";

export const SEVERITY_OPTIONS: readonly Option[] = SEVERITIES.map((it) => [it, severityName(it)]);

export const GROUPS: FieldSpec = { kind: "hostgroups", name: "groupids", label: t("Host groups") };
export const WITHOUT_GROUPS: FieldSpec = {
  kind: "hostgroups",
  name: "exclude_groupids",
  label: t("Exclude host groups"),
};
export const HOSTS: FieldSpec = { kind: "hosts", name: "hostids", label: t("Hosts") };
export const PROBLEM: FieldSpec = { kind: "text", name: "problem", label: t("Problem") };
export const SEVERITY: FieldSpec = {
  kind: "checks",
  name: "severities",
  label: t("Severity"),
  usual: [],
  options: SEVERITY_OPTIONS,
};
export const TAGS: FieldSpec = {
  kind: "tags",
  name: "tags",
  label: t("Tags"),
  evaltype: "evaltype",
};
export const SUPPRESSED: FieldSpec = {
  kind: "flag",
  name: "show_suppressed",
  label: t("Show suppressed problems"),
  usual: false,
};
export const LINES = (usual: number): FieldSpec => ({
  kind: "number",
  name: "show_lines",
  label: t("Show lines"),
  usual,
  min: 1,
  max: 1000,
});
export const OVERRIDE: FieldSpec = {
  kind: "source",
  name: "override_hostid",
  label: t("Override host"),
  signal: "hostid",
};
export const TIME: readonly FieldSpec[] = [
  { kind: "text", name: "time_period.from", label: t("From (empty: the dashboard's time)") },
  { kind: "text", name: "time_period.to", label: t("To") },
];
export const DIRECTION = (first: string, second: string): readonly Option[] => [
  [0, first],
  [1, second],
];
export const LEFT_RIGHT: readonly Option[] = [
  [0, t("Left")],
  [1, t("Center")],
  [2, t("Right")],
];
export const TOP_BOTTOM: readonly Option[] = [
  [0, t("Top")],
  [1, t("Middle")],
  [2, t("Bottom")],
];
