// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";
import type { EventAcknowledge, Tag } from "./parts";

/** A problem that is open, or was until recently. */
export interface Problem {
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
  /** When it ended; 0: it is open. */
  readonly r_clock: string;
  /** … nanoseconds. */
  readonly r_ns: string;
  /** Entries that webhooks give its menu, each with `url` and `name`. */
  readonly urls: readonly string[];
}

/** The properties of `select…` parameters. */
export interface ProblemSelects {
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
}

/** Parameters of `problem.get`. */
export interface ProblemGet extends GetParams<keyof Problem> {
  readonly selectAcknowledges?: Output<keyof EventAcknowledge> | "count" | undefined;
  readonly selectTags?: Output<keyof Tag> | undefined;
  readonly selectSuppressionData?: Output<string> | undefined;
}
