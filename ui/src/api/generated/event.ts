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
  /** Entries that webhooks give its menu, each with `url` and `name`. */
  readonly urls: readonly string[];
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
