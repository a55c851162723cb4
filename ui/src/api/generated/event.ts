// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { Alert } from "./alert";
import type { GetParams, Output } from "./get";
import type { Host } from "./host";
import type { EventAcknowledge, Tag } from "./parts";
import type { Trigger } from "./trigger";

/** A problem that began or ended. */
export interface Event {
  /** Id; later events have greater ones. */
  readonly eventid: string;
  /** 0 trigger, 1 discovery, 2 registration, 3 internal, 4 service. */
  readonly source: string;
  /** 0 trigger, 1 discovered host, 2 discovered service, 3 agent, 4 item, 5 rule, 6 service. */
  readonly object: string;
  /** Id of the object. */
  readonly objectid: string;
  /** When it happened. */
  readonly clock: string;
  /** … nanoseconds. */
  readonly ns: string;
  /** Name, with macros resolved. */
  readonly name: string;
  /** Severity as it is now. */
  readonly severity: string;
  /** 1: a user has acknowledged it. */
  readonly acknowledged: string;
  /** 1: suppressed for now. */
  readonly suppressed: string;
  /** Operational data. */
  readonly opdata: string;
  /** The event that ended the problem. */
  readonly r_eventid: string;
  /** The correlation rule that closed the problem. */
  readonly correlationid: string;
  /** Who closed it by hand. */
  readonly userid: string;
  /** Saker's own; 1: its trigger is flapping, so that no messages are sent. */
  readonly flapping: string;
  /** The problem that it is a symptom of; 0: it is a cause. */
  readonly cause_eventid: string;
  /** 1 problem, 0 resolved; of discovery 0 up, 1 down, 2 discovered, 3 lost. */
  readonly value: string;
  /** The new event for which a correlation rule closed the problem. */
  readonly c_eventid: string;
  /** Entries that webhooks give its menu. */
  readonly urls: readonly {
    /** Address. */
    readonly url: string;
    /** Name. */
    readonly name: string;
  }[];
}

/** The properties of `select…` parameters. */
export interface EventSelects {
  /** `selectAcknowledges`; its number, as a text, with "count". */
  readonly acknowledges: readonly EventAcknowledge[] | string;
  /** `selectTags`. */
  readonly tags: readonly Tag[];
  /** `selectSuppressionData`. */
  readonly suppression_data: readonly {
    /** By it; 0: by a user. */
    readonly maintenanceid: string;
    /** Its end; 0: none. */
    readonly suppress_until: string;
    /** By this user; 0: by a maintenance. */
    readonly userid: string;
  }[];
  /** `selectHosts`. */
  readonly hosts: readonly Host[];
  /** `selectRelatedObject`. */
  readonly relatedObject: Trigger | readonly [];
  /** `selectAlerts`. */
  readonly alerts: readonly Alert[];
}

/** Parameters of `event.get`. */
export interface EventGet extends GetParams<keyof Event> {
  readonly selectAcknowledges?: Output<keyof EventAcknowledge> | "count" | undefined;
  readonly selectTags?: Output<keyof Tag> | undefined;
  readonly selectSuppressionData?: Output<string> | undefined;
  readonly selectHosts?: Output<keyof Host> | undefined;
  readonly selectRelatedObject?: Output<keyof Trigger> | undefined;
  readonly selectAlerts?: Output<keyof Alert> | undefined;
  readonly select_alerts?: Output<keyof Alert> | undefined;
  readonly select_acknowledges?: Output<keyof EventAcknowledge> | "count" | undefined;
}

/** What forms and readers of answers have to know of it. */
export const EVENT = {
  object: "event",
  id: "eventid",
  ids: "eventids",
  fields: {
    eventid: { type: "id", readOnly: true },
    source: {
      type: "code",
      codes: ["0", "1", "2", "3", "4"],
      readOnly: true,
      names: { TRIGGER: "0", DISCOVERY: "1", AUTOREGISTRATION: "2", INTERNAL: "3", SERVICE: "4" },
    },
    object: { type: "code", codes: ["0", "1", "2", "3", "4", "5", "6"], readOnly: true },
    objectid: { type: "id", readOnly: true },
    clock: { type: "time", readOnly: true },
    ns: { type: "int", min: 0, max: 999999999, readOnly: true },
    name: { type: "text", max: 2048, readOnly: true },
    severity: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], readOnly: true },
    acknowledged: { type: "code", codes: ["0", "1"], readOnly: true },
    suppressed: { type: "code", codes: ["0", "1"], readOnly: true },
    opdata: { type: "text", max: 2048, readOnly: true },
    r_eventid: { type: "id", readOnly: true },
    correlationid: { type: "id", readOnly: true },
    userid: { type: "id", readOnly: true },
    flapping: { type: "code", codes: ["0", "1"], readOnly: true },
    cause_eventid: { type: "id", readOnly: true },
    value: { type: "code", codes: ["0", "1", "2", "3"], readOnly: true },
    c_eventid: { type: "id", readOnly: true },
    urls: {
      type: "list",
      fields: {
        url: { type: "text", max: 2048, readOnly: true },
        name: { type: "text", max: 2048, readOnly: true },
      },
      readOnly: true,
    },
  },
  selects: {
    acknowledges: {
      param: "selectAcknowledges",
      list: {
        acknowledgeid: { type: "id", readOnly: true },
        userid: { type: "id", readOnly: true },
        eventid: { type: "id", readOnly: true },
        clock: { type: "time", readOnly: true },
        message: { type: "text", max: 2048, readOnly: true },
        action: { type: "int", min: 0, max: 511, readOnly: true },
        old_severity: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], readOnly: true },
        new_severity: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], readOnly: true },
        suppress_until: { type: "time", readOnly: true },
        taskid: { type: "id", readOnly: true },
        username: { type: "text", max: 2048, readOnly: true },
        name: { type: "text", max: 2048, readOnly: true },
        surname: { type: "text", max: 2048, readOnly: true },
      },
    },
    tags: {
      param: "selectTags",
      list: { tag: { type: "text", max: 255, required: true }, value: { type: "text", max: 255 } },
    },
    suppression_data: {
      param: "selectSuppressionData",
      list: {
        maintenanceid: { type: "id", readOnly: true },
        suppress_until: { type: "time", readOnly: true },
        userid: { type: "id", readOnly: true },
      },
    },
    hosts: { param: "selectHosts", objects: "host" },
    relatedObject: { param: "selectRelatedObject", object: "trigger" },
    alerts: { param: "selectAlerts", objects: "alert" },
  },
} as const;
