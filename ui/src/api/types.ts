// Objects as the pages use them: what they ask for of the types that are generated from the server's
// descriptions (`generated`), with what `select…` adds. Ids and numbers are strings, as in Zabbix 7.0.

import type * as parts from "./generated/parts";
import type * as templateGroup from "./generated/template-group";
import type { Item, REQUEST_FIELDS } from "./items";
import type { ProblemRow } from "./problem-table";
import type * as schema from "./schema";

export type Id = string;
export type Tag = parts.Tag;
export type PreprocessingStep = parts.PreprocessingStep;

export type SessionUser = schema.Read<typeof schema.sessionUser> & {
  /** the server's time zone, by its IANA name; undefined where it has none */
  readonly serverZone: string | undefined;
};

export type {
  DiscoveryRule,
  LldFilter,
  LldMacroPath,
  LldOverride,
  LldOverrideOperation,
} from "./discovery";
export type { EventAcknowledge, EventUrl, HostEvent, ProblemEvent } from "./events";
export type { HostName } from "./host-names";
export type { Host, HostInterface, HostRow, SnmpDetails } from "./hosts";
export type { HistoryValue, Item, ValueMap } from "./items";
export type { HostPrototype, ItemPrototype, TriggerPrototype } from "./prototypes";
export type { Dependency, Trigger } from "./triggers";

/** What items, their prototypes and discovery rules have that only some types use. */
export type RequestContent = Pick<Item, "type" | "params" | "trapper_hosts" | RequestField>;
type RequestField = (typeof REQUEST_FIELDS)[number];

/** A user macro of a host, a template, or of all; its value is empty where it is secret. */
export type Macro = Pick<parts.HostMacro, "macro" | "value" | "description" | "type"> & {
  readonly hostmacroid?: Id | undefined;
  readonly globalmacroid?: Id | undefined;
  readonly hostid?: Id | undefined;
};

export type GroupRef = Pick<templateGroup.TemplateGroup, "groupid" | "name">;

/** An item as charts and lists of values need it. */
export interface ValuedItem {
  readonly itemid: Id;
  readonly hostid: Id;
  readonly host: string;
  readonly name: string;
  readonly key: string;
  readonly units: string;
  readonly valueType: number;
  readonly lastvalue: string;
  /** seconds; 0 when nothing was received yet */
  readonly lastclock: number;
  readonly state: string;
  readonly error: string;
}

/** Open problems that are not suppressed. */
export type ProblemCounts = schema.Read<typeof schema.problemCounts>;

/** `GET /api/v1/overview` and the stream's message of the same name. */
export interface Overview extends Omit<schema.Read<typeof schema.overview>, "worst_problems"> {
  /** open ones that are not suppressed, worst first */
  readonly worst_problems: readonly ProblemRow[];
}

/** Buckets of one item: `GET /api/v1/series`. Times in seconds. */
export type Series = schema.Read<typeof schema.series>["series"][number];
export type SeriesPart = Series["parts"][number];

export type ExpressionCheck = schema.Read<typeof schema.expressionCheck>;
