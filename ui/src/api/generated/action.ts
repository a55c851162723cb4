// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";

/** What is done when an event happens: messages, step by step. */
export interface Action {
  /** Id. */
  readonly actionid: string;
  /** Name. */
  readonly name: string;
  /** What its events are about, not to be changed: 0 triggers, 1 network discovery, 2 autoregistration, 3 internal, 4 services. */
  readonly eventsource: string;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status: string;
  /** How long a step lasts, 60 s to 1 week; may be a user macro. Default: 1h. */
  readonly esc_period: string;
  /** 1 steps wait while the problem is a symptom of another one. Default: 1. */
  readonly pause_symptoms: string;
  /** 1 steps wait while the problem is suppressed. Default: 1. */
  readonly pause_suppressed: string;
  /** 1 recipients of messages are notified if no more will come, because the action, trigger or host was disabled. Default: 1. */
  readonly notify_if_canceled: string;
}

/** The properties of `select…` parameters. */
export interface ActionSelects {
  /** `selectFilter`. */
  readonly filter: {
    /** 0 and/or: conditions of one type are alternatives; 1 and, 2 or, 3 as the formula says. */
    readonly evaltype: string;
    /** Letters of conditions joined by and, or, not and parentheses. */
    readonly formula: string;
    /** The formula that the conditions are joined by, whatever evaltype is. */
    readonly eval_formula: string;
    /** Conditions. */
    readonly conditions: readonly {
      /** Letters that stand for the condition in a custom formula: A, B, …. */
      readonly formulaid: string;
      /** What of the event: 0 host group, 1 host, 2 trigger, 3 event name, 4 severity, 6 time period, 7 host IP, 8 discovered service type, 9 discovered service port, 10 discovery status, 11 uptime or downtime, 12 received value, 13 template, 16 problem is suppressed, 18 discovery rule, 19 discovery check, 20 proxy, 21 discovery object, 22 host name, 23 event type, 24 host metadata, 25 tag, 26 tag value, 27 service, 28 service name. */
      readonly conditiontype: string;
      /** 0 equals, 1 does not equal, 2 contains, 3 does not contain, 4 in, 5 at least, 6 at most, 7 not in, 8 matches, 9 does not match, 10 yes, 11 no; 0 if left out, where the condition has it. */
      readonly operator: string;
      /** What is compared with; ids and codes as text. */
      readonly value: string;
      /** Of tag values: the name of the tag. */
      readonly value2: string;
    }[];
  } | readonly [];
  /** `selectOperations`. */
  readonly operations: readonly {
    /** Id, by the operation's place in the action. */
    readonly operationid: string;
    /** 0 send message, 1 global script, 11 notify all involved of the recovery, 12 notify all involved of the update; of discovery and autoregistration 2 add host, 4 add to host group, 6 link template, 9 disable host, 10 set inventory mode, 13 add tags, 14 remove tags; of discovery 3 remove host, 5 remove from host group, 7 unlink template, 8 enable host. */
    readonly operationtype: string;
    /** How long its step lasts: 0 as the action says, or 60 s to 1 week; may be a user macro. */
    readonly esc_period: string;
    /** First step; 1 if left out. */
    readonly esc_step_from: string;
    /** Last step, 0 without end; 1 if left out. */
    readonly esc_step_to: string;
    /** How its conditions are joined: 0 and/or, 1 and, 2 or. */
    readonly evaltype: string;
    /** Conditions asked at each of its steps. */
    readonly opconditions: readonly {
      /** 14 the problem is acknowledged. */
      readonly conditiontype: string;
      /** 0 not acknowledged, 1 acknowledged. */
      readonly value: string;
      /** 0 equals. Default: 0. */
      readonly operator: string;
    }[];
    /** Message. */
    readonly opmessage: {
      /** 1 the message of the media type, 0 the one of the operation. Default: 1. */
      readonly default_msg: string;
      /** Subject, with macros. */
      readonly subject: string;
      /** Text, with macros. */
      readonly message: string;
      /** Media type; 0 all that the user has. */
      readonly mediatypeid: string;
    } | readonly [];
    /** User groups that get it. */
    readonly opmessage_grp: readonly {
      /** User group. */
      readonly usrgrpid: string;
    }[];
    /** Users that get it. */
    readonly opmessage_usr: readonly {
      /** User. */
      readonly userid: string;
    }[];
    /** On-call schedules: users on call when the step is due get it (Zabbix has no such field). */
    readonly opmessage_oncall: readonly {
      /** On-call schedule. */
      readonly oncallid: string;
    }[];
    /** Global script. */
    readonly opcommand: {
      /** Global script, whose scope has to be 1. */
      readonly scriptid: string;
    } | readonly [];
    /** Where it is executed. */
    readonly opcommand_grp: readonly {
      /** Host group. */
      readonly groupid: string;
    }[];
    /** Where it is executed. */
    readonly opcommand_hst: readonly {
      /** Host; 0 the one of the event. */
      readonly hostid: string;
    }[];
    /** Host groups. */
    readonly opgroup: readonly {
      /** Host group. */
      readonly groupid: string;
    }[];
    /** Templates. */
    readonly optemplate: readonly {
      /** Template. */
      readonly templateid: string;
    }[];
    /** Inventory mode. */
    readonly opinventory: {
      /** 0 manual, 1 automatic. Default: 0. */
      readonly inventory_mode: string;
    } | readonly [];
    /** Tags. */
    readonly optag: readonly {
      /** Name of the tag. */
      readonly tag: string;
      /** Value of the tag. */
      readonly value: string;
    }[];
  }[];
  /** `selectRecoveryOperations`. */
  readonly recovery_operations: readonly {
    /** Id, by the operation's place in the action. */
    readonly operationid: string;
    /** 0 send message, 1 global script, 11 notify all involved of the recovery, 12 notify all involved of the update; of discovery and autoregistration 2 add host, 4 add to host group, 6 link template, 9 disable host, 10 set inventory mode, 13 add tags, 14 remove tags; of discovery 3 remove host, 5 remove from host group, 7 unlink template, 8 enable host. */
    readonly operationtype: string;
    /** How long its step lasts: 0 as the action says, or 60 s to 1 week; may be a user macro. */
    readonly esc_period: string;
    /** First step; 1 if left out. */
    readonly esc_step_from: string;
    /** Last step, 0 without end; 1 if left out. */
    readonly esc_step_to: string;
    /** How its conditions are joined: 0 and/or, 1 and, 2 or. */
    readonly evaltype: string;
    /** Conditions asked at each of its steps. */
    readonly opconditions: readonly {
      /** 14 the problem is acknowledged. */
      readonly conditiontype: string;
      /** 0 not acknowledged, 1 acknowledged. */
      readonly value: string;
      /** 0 equals. Default: 0. */
      readonly operator: string;
    }[];
    /** Message. */
    readonly opmessage: {
      /** 1 the message of the media type, 0 the one of the operation. Default: 1. */
      readonly default_msg: string;
      /** Subject, with macros. */
      readonly subject: string;
      /** Text, with macros. */
      readonly message: string;
      /** Media type; 0 all that the user has. */
      readonly mediatypeid: string;
    } | readonly [];
    /** User groups that get it. */
    readonly opmessage_grp: readonly {
      /** User group. */
      readonly usrgrpid: string;
    }[];
    /** Users that get it. */
    readonly opmessage_usr: readonly {
      /** User. */
      readonly userid: string;
    }[];
    /** On-call schedules: users on call when the step is due get it (Zabbix has no such field). */
    readonly opmessage_oncall: readonly {
      /** On-call schedule. */
      readonly oncallid: string;
    }[];
    /** Global script. */
    readonly opcommand: {
      /** Global script, whose scope has to be 1. */
      readonly scriptid: string;
    } | readonly [];
    /** Where it is executed. */
    readonly opcommand_grp: readonly {
      /** Host group. */
      readonly groupid: string;
    }[];
    /** Where it is executed. */
    readonly opcommand_hst: readonly {
      /** Host; 0 the one of the event. */
      readonly hostid: string;
    }[];
    /** Host groups. */
    readonly opgroup: readonly {
      /** Host group. */
      readonly groupid: string;
    }[];
    /** Templates. */
    readonly optemplate: readonly {
      /** Template. */
      readonly templateid: string;
    }[];
    /** Inventory mode. */
    readonly opinventory: {
      /** 0 manual, 1 automatic. Default: 0. */
      readonly inventory_mode: string;
    } | readonly [];
    /** Tags. */
    readonly optag: readonly {
      /** Name of the tag. */
      readonly tag: string;
      /** Value of the tag. */
      readonly value: string;
    }[];
  }[];
  /** `selectUpdateOperations`. */
  readonly update_operations: readonly {
    /** Id, by the operation's place in the action. */
    readonly operationid: string;
    /** 0 send message, 1 global script, 11 notify all involved of the recovery, 12 notify all involved of the update; of discovery and autoregistration 2 add host, 4 add to host group, 6 link template, 9 disable host, 10 set inventory mode, 13 add tags, 14 remove tags; of discovery 3 remove host, 5 remove from host group, 7 unlink template, 8 enable host. */
    readonly operationtype: string;
    /** How long its step lasts: 0 as the action says, or 60 s to 1 week; may be a user macro. */
    readonly esc_period: string;
    /** First step; 1 if left out. */
    readonly esc_step_from: string;
    /** Last step, 0 without end; 1 if left out. */
    readonly esc_step_to: string;
    /** How its conditions are joined: 0 and/or, 1 and, 2 or. */
    readonly evaltype: string;
    /** Conditions asked at each of its steps. */
    readonly opconditions: readonly {
      /** 14 the problem is acknowledged. */
      readonly conditiontype: string;
      /** 0 not acknowledged, 1 acknowledged. */
      readonly value: string;
      /** 0 equals. Default: 0. */
      readonly operator: string;
    }[];
    /** Message. */
    readonly opmessage: {
      /** 1 the message of the media type, 0 the one of the operation. Default: 1. */
      readonly default_msg: string;
      /** Subject, with macros. */
      readonly subject: string;
      /** Text, with macros. */
      readonly message: string;
      /** Media type; 0 all that the user has. */
      readonly mediatypeid: string;
    } | readonly [];
    /** User groups that get it. */
    readonly opmessage_grp: readonly {
      /** User group. */
      readonly usrgrpid: string;
    }[];
    /** Users that get it. */
    readonly opmessage_usr: readonly {
      /** User. */
      readonly userid: string;
    }[];
    /** On-call schedules: users on call when the step is due get it (Zabbix has no such field). */
    readonly opmessage_oncall: readonly {
      /** On-call schedule. */
      readonly oncallid: string;
    }[];
    /** Global script. */
    readonly opcommand: {
      /** Global script, whose scope has to be 1. */
      readonly scriptid: string;
    } | readonly [];
    /** Where it is executed. */
    readonly opcommand_grp: readonly {
      /** Host group. */
      readonly groupid: string;
    }[];
    /** Where it is executed. */
    readonly opcommand_hst: readonly {
      /** Host; 0 the one of the event. */
      readonly hostid: string;
    }[];
    /** Host groups. */
    readonly opgroup: readonly {
      /** Host group. */
      readonly groupid: string;
    }[];
    /** Templates. */
    readonly optemplate: readonly {
      /** Template. */
      readonly templateid: string;
    }[];
    /** Inventory mode. */
    readonly opinventory: {
      /** 0 manual, 1 automatic. Default: 0. */
      readonly inventory_mode: string;
    } | readonly [];
    /** Tags. */
    readonly optag: readonly {
      /** Name of the tag. */
      readonly tag: string;
      /** Value of the tag. */
      readonly value: string;
    }[];
  }[];
}

/** Parameters of `action.get`. */
export interface ActionGet extends GetParams<keyof Action> {
  readonly selectFilter?: Output<string> | undefined;
  readonly selectOperations?: Output<string> | undefined;
  readonly selectRecoveryOperations?: Output<string> | undefined;
  readonly selectUpdateOperations?: Output<string> | undefined;
}

/** Parameters of `action.create`. */
export interface ActionCreate {
  /** Name. */
  readonly name: string;
  /** What its events are about, not to be changed: 0 triggers, 1 network discovery, 2 autoregistration, 3 internal, 4 services. */
  readonly eventsource: string | number;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status?: string | number | undefined;
  /** How long a step lasts, 60 s to 1 week; may be a user macro. Default: 1h. */
  readonly esc_period?: string | undefined;
  /** 1 steps wait while the problem is a symptom of another one. Default: 1. */
  readonly pause_symptoms?: string | number | undefined;
  /** 1 steps wait while the problem is suppressed. Default: 1. */
  readonly pause_suppressed?: string | number | undefined;
  /** Which events it is for. */
  readonly filter?: {
    /** 0 and/or: conditions of one type are alternatives; 1 and, 2 or, 3 as the formula says. */
    readonly evaltype: string | number;
    /** Letters of conditions joined by and, or, not and parentheses. */
    readonly formula?: string | undefined;
    /** The formula that the conditions are joined by, whatever evaltype is. */
    readonly eval_formula?: string | undefined;
    /** Conditions. */
    readonly conditions?: readonly {
      /** Letters that stand for the condition in a custom formula: A, B, …. */
      readonly formulaid?: string | undefined;
      /** What of the event: 0 host group, 1 host, 2 trigger, 3 event name, 4 severity, 6 time period, 7 host IP, 8 discovered service type, 9 discovered service port, 10 discovery status, 11 uptime or downtime, 12 received value, 13 template, 16 problem is suppressed, 18 discovery rule, 19 discovery check, 20 proxy, 21 discovery object, 22 host name, 23 event type, 24 host metadata, 25 tag, 26 tag value, 27 service, 28 service name. */
      readonly conditiontype: string | number;
      /** 0 equals, 1 does not equal, 2 contains, 3 does not contain, 4 in, 5 at least, 6 at most, 7 not in, 8 matches, 9 does not match, 10 yes, 11 no; 0 if left out, where the condition has it. */
      readonly operator?: string | number | undefined;
      /** What is compared with; ids and codes as text. */
      readonly value?: string | undefined;
      /** Of tag values: the name of the tag. */
      readonly value2?: string | undefined;
    }[] | undefined;
  } | undefined;
  /** What is done, step by step. */
  readonly operations?: readonly {
    /** Id, by the operation's place in the action. */
    readonly operationid?: string | number | undefined;
    /** 0 send message, 1 global script, 11 notify all involved of the recovery, 12 notify all involved of the update; of discovery and autoregistration 2 add host, 4 add to host group, 6 link template, 9 disable host, 10 set inventory mode, 13 add tags, 14 remove tags; of discovery 3 remove host, 5 remove from host group, 7 unlink template, 8 enable host. */
    readonly operationtype: string | number;
    /** How long its step lasts: 0 as the action says, or 60 s to 1 week; may be a user macro. */
    readonly esc_period?: string | undefined;
    /** First step; 1 if left out. */
    readonly esc_step_from?: string | number | undefined;
    /** Last step, 0 without end; 1 if left out. */
    readonly esc_step_to?: string | number | undefined;
    /** How its conditions are joined: 0 and/or, 1 and, 2 or. */
    readonly evaltype?: string | number | undefined;
    /** Conditions asked at each of its steps. */
    readonly opconditions?: readonly {
      /** 14 the problem is acknowledged. */
      readonly conditiontype: string | number;
      /** 0 not acknowledged, 1 acknowledged. */
      readonly value: string;
      /** 0 equals. Default: 0. */
      readonly operator?: string | number | undefined;
    }[] | undefined;
    /** Message. */
    readonly opmessage?: {
      /** 1 the message of the media type, 0 the one of the operation. Default: 1. */
      readonly default_msg?: string | number | undefined;
      /** Subject, with macros. */
      readonly subject?: string | undefined;
      /** Text, with macros. */
      readonly message?: string | undefined;
      /** Media type; 0 all that the user has. */
      readonly mediatypeid?: string | number | undefined;
    } | undefined;
    /** User groups that get it. */
    readonly opmessage_grp?: readonly {
      /** User group. */
      readonly usrgrpid: string | number;
    }[] | undefined;
    /** Users that get it. */
    readonly opmessage_usr?: readonly {
      /** User. */
      readonly userid: string | number;
    }[] | undefined;
    /** On-call schedules: users on call when the step is due get it (Zabbix has no such field). */
    readonly opmessage_oncall?: readonly {
      /** On-call schedule. */
      readonly oncallid: string | number;
    }[] | undefined;
    /** Global script. */
    readonly opcommand?: {
      /** Global script, whose scope has to be 1. */
      readonly scriptid: string | number;
    } | undefined;
    /** Where it is executed. */
    readonly opcommand_grp?: readonly {
      /** Host group. */
      readonly groupid: string | number;
    }[] | undefined;
    /** Where it is executed. */
    readonly opcommand_hst?: readonly {
      /** Host; 0 the one of the event. */
      readonly hostid: string | number;
    }[] | undefined;
    /** Host groups. */
    readonly opgroup?: readonly {
      /** Host group. */
      readonly groupid: string | number;
    }[] | undefined;
    /** Templates. */
    readonly optemplate?: readonly {
      /** Template. */
      readonly templateid: string | number;
    }[] | undefined;
    /** Inventory mode. */
    readonly opinventory?: {
      /** 0 manual, 1 automatic. Default: 0. */
      readonly inventory_mode?: string | number | undefined;
    } | undefined;
    /** Tags. */
    readonly optag?: readonly {
      /** Name of the tag. */
      readonly tag: string;
      /** Value of the tag. */
      readonly value?: string | undefined;
    }[] | undefined;
  }[] | undefined;
  /** What is done when the problem is resolved. */
  readonly recovery_operations?: readonly {
    /** Id, by the operation's place in the action. */
    readonly operationid?: string | number | undefined;
    /** 0 send message, 1 global script, 11 notify all involved of the recovery, 12 notify all involved of the update; of discovery and autoregistration 2 add host, 4 add to host group, 6 link template, 9 disable host, 10 set inventory mode, 13 add tags, 14 remove tags; of discovery 3 remove host, 5 remove from host group, 7 unlink template, 8 enable host. */
    readonly operationtype: string | number;
    /** How long its step lasts: 0 as the action says, or 60 s to 1 week; may be a user macro. */
    readonly esc_period?: string | undefined;
    /** First step; 1 if left out. */
    readonly esc_step_from?: string | number | undefined;
    /** Last step, 0 without end; 1 if left out. */
    readonly esc_step_to?: string | number | undefined;
    /** How its conditions are joined: 0 and/or, 1 and, 2 or. */
    readonly evaltype?: string | number | undefined;
    /** Conditions asked at each of its steps. */
    readonly opconditions?: readonly {
      /** 14 the problem is acknowledged. */
      readonly conditiontype: string | number;
      /** 0 not acknowledged, 1 acknowledged. */
      readonly value: string;
      /** 0 equals. Default: 0. */
      readonly operator?: string | number | undefined;
    }[] | undefined;
    /** Message. */
    readonly opmessage?: {
      /** 1 the message of the media type, 0 the one of the operation. Default: 1. */
      readonly default_msg?: string | number | undefined;
      /** Subject, with macros. */
      readonly subject?: string | undefined;
      /** Text, with macros. */
      readonly message?: string | undefined;
      /** Media type; 0 all that the user has. */
      readonly mediatypeid?: string | number | undefined;
    } | undefined;
    /** User groups that get it. */
    readonly opmessage_grp?: readonly {
      /** User group. */
      readonly usrgrpid: string | number;
    }[] | undefined;
    /** Users that get it. */
    readonly opmessage_usr?: readonly {
      /** User. */
      readonly userid: string | number;
    }[] | undefined;
    /** On-call schedules: users on call when the step is due get it (Zabbix has no such field). */
    readonly opmessage_oncall?: readonly {
      /** On-call schedule. */
      readonly oncallid: string | number;
    }[] | undefined;
    /** Global script. */
    readonly opcommand?: {
      /** Global script, whose scope has to be 1. */
      readonly scriptid: string | number;
    } | undefined;
    /** Where it is executed. */
    readonly opcommand_grp?: readonly {
      /** Host group. */
      readonly groupid: string | number;
    }[] | undefined;
    /** Where it is executed. */
    readonly opcommand_hst?: readonly {
      /** Host; 0 the one of the event. */
      readonly hostid: string | number;
    }[] | undefined;
    /** Host groups. */
    readonly opgroup?: readonly {
      /** Host group. */
      readonly groupid: string | number;
    }[] | undefined;
    /** Templates. */
    readonly optemplate?: readonly {
      /** Template. */
      readonly templateid: string | number;
    }[] | undefined;
    /** Inventory mode. */
    readonly opinventory?: {
      /** 0 manual, 1 automatic. Default: 0. */
      readonly inventory_mode?: string | number | undefined;
    } | undefined;
    /** Tags. */
    readonly optag?: readonly {
      /** Name of the tag. */
      readonly tag: string;
      /** Value of the tag. */
      readonly value?: string | undefined;
    }[] | undefined;
  }[] | undefined;
  /** What is done when a user changes the problem. */
  readonly update_operations?: readonly {
    /** Id, by the operation's place in the action. */
    readonly operationid?: string | number | undefined;
    /** 0 send message, 1 global script, 11 notify all involved of the recovery, 12 notify all involved of the update; of discovery and autoregistration 2 add host, 4 add to host group, 6 link template, 9 disable host, 10 set inventory mode, 13 add tags, 14 remove tags; of discovery 3 remove host, 5 remove from host group, 7 unlink template, 8 enable host. */
    readonly operationtype: string | number;
    /** How long its step lasts: 0 as the action says, or 60 s to 1 week; may be a user macro. */
    readonly esc_period?: string | undefined;
    /** First step; 1 if left out. */
    readonly esc_step_from?: string | number | undefined;
    /** Last step, 0 without end; 1 if left out. */
    readonly esc_step_to?: string | number | undefined;
    /** How its conditions are joined: 0 and/or, 1 and, 2 or. */
    readonly evaltype?: string | number | undefined;
    /** Conditions asked at each of its steps. */
    readonly opconditions?: readonly {
      /** 14 the problem is acknowledged. */
      readonly conditiontype: string | number;
      /** 0 not acknowledged, 1 acknowledged. */
      readonly value: string;
      /** 0 equals. Default: 0. */
      readonly operator?: string | number | undefined;
    }[] | undefined;
    /** Message. */
    readonly opmessage?: {
      /** 1 the message of the media type, 0 the one of the operation. Default: 1. */
      readonly default_msg?: string | number | undefined;
      /** Subject, with macros. */
      readonly subject?: string | undefined;
      /** Text, with macros. */
      readonly message?: string | undefined;
      /** Media type; 0 all that the user has. */
      readonly mediatypeid?: string | number | undefined;
    } | undefined;
    /** User groups that get it. */
    readonly opmessage_grp?: readonly {
      /** User group. */
      readonly usrgrpid: string | number;
    }[] | undefined;
    /** Users that get it. */
    readonly opmessage_usr?: readonly {
      /** User. */
      readonly userid: string | number;
    }[] | undefined;
    /** On-call schedules: users on call when the step is due get it (Zabbix has no such field). */
    readonly opmessage_oncall?: readonly {
      /** On-call schedule. */
      readonly oncallid: string | number;
    }[] | undefined;
    /** Global script. */
    readonly opcommand?: {
      /** Global script, whose scope has to be 1. */
      readonly scriptid: string | number;
    } | undefined;
    /** Where it is executed. */
    readonly opcommand_grp?: readonly {
      /** Host group. */
      readonly groupid: string | number;
    }[] | undefined;
    /** Where it is executed. */
    readonly opcommand_hst?: readonly {
      /** Host; 0 the one of the event. */
      readonly hostid: string | number;
    }[] | undefined;
    /** Host groups. */
    readonly opgroup?: readonly {
      /** Host group. */
      readonly groupid: string | number;
    }[] | undefined;
    /** Templates. */
    readonly optemplate?: readonly {
      /** Template. */
      readonly templateid: string | number;
    }[] | undefined;
    /** Inventory mode. */
    readonly opinventory?: {
      /** 0 manual, 1 automatic. Default: 0. */
      readonly inventory_mode?: string | number | undefined;
    } | undefined;
    /** Tags. */
    readonly optag?: readonly {
      /** Name of the tag. */
      readonly tag: string;
      /** Value of the tag. */
      readonly value?: string | undefined;
    }[] | undefined;
  }[] | undefined;
  /** 1 recipients of messages are notified if no more will come, because the action, trigger or host was disabled. Default: 1. */
  readonly notify_if_canceled?: string | number | undefined;
}

/** Parameters of `action.update`: omitted fields keep their values. */
export type ActionUpdate = Partial<ActionCreate> & { readonly actionid: string };

/** What forms and readers of answers have to know of it. */
export const ACTION = {
  object: "action",
  id: "actionid",
  ids: "actionids",
  fields: {
    actionid: { type: "id", readOnly: true },
    name: { type: "text", max: 255, required: true },
    eventsource: {
      type: "code",
      codes: ["0", "1", "2", "3", "4"],
      required: true,
      names: {
        TRIGGERS: "0",
        DISCOVERY: "1",
        AUTOREGISTRATION: "2",
        INTERNAL: "3",
        SERVICES: "4",
      },
    },
    status: {
      type: "code",
      codes: ["0", "1"],
      default: "0",
      names: { ENABLED: "0", DISABLED: "1" },
    },
    esc_period: {
      type: "text",
      max: 255,
      default: "1h",
      absentElsewhere: true,
      only: [{ field: "eventsource", oneOf: ["0", "3", "4"] }],
    },
    pause_symptoms: {
      type: "code",
      codes: ["0", "1"],
      default: "1",
      absentElsewhere: true,
      only: [{ field: "eventsource", oneOf: ["0"] }],
    },
    pause_suppressed: {
      type: "code",
      codes: ["0", "1"],
      default: "1",
      absentElsewhere: true,
      only: [{ field: "eventsource", oneOf: ["0"] }],
    },
    filter: {
      type: "object",
      fields: {
        evaltype: {
          type: "code",
          codes: ["0", "1", "2", "3"],
          required: true,
          names: { AND_OR: "0", AND: "1", OR: "2", FORMULA: "3" },
        },
        formula: {
          type: "text",
          max: 1024,
          absentElsewhere: true,
          only: [{ field: "evaltype", oneOf: ["3"] }],
          needed: [{ field: "evaltype", oneOf: ["3"] }],
        },
        eval_formula: { type: "text", max: 1024, readOnly: true },
        conditions: {
          type: "list",
          fields: {
            formulaid: {
              type: "text",
              max: 255,
              absentElsewhere: true,
              only: [{ field: "evaltype", oneOf: ["3"] }],
              needed: [{ field: "evaltype", oneOf: ["3"] }],
            },
            conditiontype: { type: "int", min: -2147483648, max: 2147483647, required: true },
            operator: {
              type: "int",
              min: -2147483648,
              max: 2147483647,
              needed: [
                { field: "conditiontype", oneOf: ["3", "6", "11", "16", "22", "24", "28"] },
              ],
            },
            value: {
              type: "text",
              max: 255,
              absentElsewhere: true,
              only: [
                {
                  field: "conditiontype",
                  oneOf: [
                    "0",
                    "1",
                    "2",
                    "3",
                    "4",
                    "6",
                    "7",
                    "8",
                    "9",
                    "10",
                    "11",
                    "12",
                    "13",
                    "18",
                    "19",
                    "20",
                    "21",
                    "22",
                    "23",
                    "24",
                    "25",
                    "26",
                    "27",
                    "28",
                  ],
                },
              ],
              needed: [
                {
                  field: "conditiontype",
                  oneOf: [
                    "0",
                    "1",
                    "2",
                    "3",
                    "4",
                    "6",
                    "7",
                    "8",
                    "9",
                    "10",
                    "11",
                    "12",
                    "13",
                    "18",
                    "19",
                    "20",
                    "21",
                    "22",
                    "23",
                    "24",
                    "25",
                    "27",
                    "28",
                  ],
                },
              ],
            },
            value2: {
              type: "text",
              max: 255,
              absentElsewhere: true,
              only: [{ field: "conditiontype", oneOf: ["26"] }],
              needed: [{ field: "conditiontype", oneOf: ["26"] }],
            },
          },
          needed: [{ field: "evaltype", oneOf: ["3"] }],
        },
      },
      notAnswered: true,
    },
    operations: {
      type: "list",
      fields: {
        operationid: { type: "id", readOnly: true },
        operationtype: {
          type: "int",
          min: -2147483648,
          max: 2147483647,
          required: true,
          names: {
            MESSAGE: "0",
            SCRIPT: "1",
            ADD_HOST: "2",
            REMOVE_HOST: "3",
            ADD_TO_GROUP: "4",
            REMOVE_FROM_GROUP: "5",
            LINK_TEMPLATE: "6",
            UNLINK_TEMPLATE: "7",
            ENABLE_HOST: "8",
            DISABLE_HOST: "9",
            INVENTORY_MODE: "10",
            RECOVERY_MESSAGE: "11",
            UPDATE_MESSAGE: "12",
            ADD_TAGS: "13",
            REMOVE_TAGS: "14",
          },
        },
        esc_period: {
          type: "text",
          max: 255,
          absentElsewhere: true,
          only: [{ field: "eventsource", oneOf: ["0", "3", "4"] }],
        },
        esc_step_from: {
          type: "int",
          min: 1,
          max: 99999,
          absentElsewhere: true,
          only: [{ field: "eventsource", oneOf: ["0", "3", "4"] }],
        },
        esc_step_to: {
          type: "int",
          min: 0,
          max: 99999,
          absentElsewhere: true,
          only: [{ field: "eventsource", oneOf: ["0", "3", "4"] }],
        },
        evaltype: {
          type: "code",
          codes: ["0", "1", "2"],
          absentElsewhere: true,
          only: [{ field: "eventsource", oneOf: ["0"] }],
        },
        opconditions: {
          type: "list",
          fields: {
            conditiontype: { type: "code", codes: ["14"], required: true },
            value: { type: "text", max: 255, required: true },
            operator: { type: "code", codes: ["0"], default: "0" },
          },
          absentElsewhere: true,
          only: [{ field: "eventsource", oneOf: ["0"] }],
        },
        opmessage: {
          type: "object",
          fields: {
            default_msg: { type: "code", codes: ["0", "1"], default: "1" },
            subject: {
              type: "text",
              max: 255,
              absentElsewhere: true,
              only: [{ field: "default_msg", oneOf: ["0"] }],
            },
            message: {
              type: "text",
              max: 65535,
              absentElsewhere: true,
              only: [{ field: "default_msg", oneOf: ["0"] }],
            },
            mediatypeid: {
              type: "id",
              refers: "mediatype",
              absentElsewhere: true,
              only: [{ field: "operationtype", oneOf: ["0", "12"] }],
            },
          },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["0", "11", "12"] }],
          needed: [{ field: "operationtype", oneOf: ["0", "11", "12"] }],
        },
        opmessage_grp: {
          type: "list",
          fields: { usrgrpid: { type: "id", required: true } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["0"] }],
        },
        opmessage_usr: {
          type: "list",
          fields: { userid: { type: "id", required: true } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["0"] }],
        },
        opmessage_oncall: {
          type: "list",
          fields: { oncallid: { type: "id", required: true, refers: "oncall" } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["0"] }],
        },
        opcommand: {
          type: "object",
          fields: { scriptid: { type: "id", required: true, refers: "script" } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["1"] }],
          needed: [{ field: "operationtype", oneOf: ["1"] }],
        },
        opcommand_grp: {
          type: "list",
          fields: { groupid: { type: "id", required: true } },
          absentElsewhere: true,
          only: [
            { field: "operationtype", oneOf: ["1"] },
            { field: "eventsource", oneOf: ["0", "1", "2"] },
          ],
        },
        opcommand_hst: {
          type: "list",
          fields: { hostid: { type: "id", required: true } },
          absentElsewhere: true,
          only: [
            { field: "operationtype", oneOf: ["1"] },
            { field: "eventsource", oneOf: ["0", "1", "2"] },
          ],
        },
        opgroup: {
          type: "list",
          fields: { groupid: { type: "id", required: true } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["4", "5"] }],
          needed: [{ field: "operationtype", oneOf: ["4", "5"] }],
        },
        optemplate: {
          type: "list",
          fields: { templateid: { type: "id", required: true } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["6", "7"] }],
          needed: [{ field: "operationtype", oneOf: ["6", "7"] }],
        },
        opinventory: {
          type: "object",
          fields: { inventory_mode: { type: "code", codes: ["0", "1"], default: "0" } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["10"] }],
          needed: [{ field: "operationtype", oneOf: ["10"] }],
        },
        optag: {
          type: "list",
          fields: {
            tag: { type: "text", max: 255, required: true },
            value: { type: "text", max: 255 },
          },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["13", "14"] }],
          needed: [{ field: "operationtype", oneOf: ["13", "14"] }],
        },
      },
      notAnswered: true,
    },
    recovery_operations: {
      type: "list",
      fields: {
        operationid: { type: "id", readOnly: true },
        operationtype: { type: "int", min: -2147483648, max: 2147483647, required: true },
        esc_period: {
          type: "text",
          max: 255,
          readOnly: true,
          absentElsewhere: true,
          only: [{ field: "eventsource", oneOf: ["0", "3", "4"] }],
        },
        esc_step_from: {
          type: "int",
          min: 1,
          max: 99999,
          readOnly: true,
          absentElsewhere: true,
          only: [{ field: "eventsource", oneOf: ["0", "3", "4"] }],
        },
        esc_step_to: {
          type: "int",
          min: 0,
          max: 99999,
          readOnly: true,
          absentElsewhere: true,
          only: [{ field: "eventsource", oneOf: ["0", "3", "4"] }],
        },
        evaltype: {
          type: "code",
          codes: ["0", "1", "2"],
          readOnly: true,
          absentElsewhere: true,
          only: [{ field: "eventsource", oneOf: ["0"] }],
        },
        opconditions: {
          type: "list",
          fields: {
            conditiontype: { type: "code", codes: ["14"], required: true },
            value: { type: "text", max: 255, required: true },
            operator: { type: "code", codes: ["0"], default: "0" },
          },
          readOnly: true,
          absentElsewhere: true,
          only: [{ field: "eventsource", oneOf: ["0"] }],
        },
        opmessage: {
          type: "object",
          fields: {
            default_msg: { type: "code", codes: ["0", "1"], default: "1" },
            subject: {
              type: "text",
              max: 255,
              absentElsewhere: true,
              only: [{ field: "default_msg", oneOf: ["0"] }],
            },
            message: {
              type: "text",
              max: 65535,
              absentElsewhere: true,
              only: [{ field: "default_msg", oneOf: ["0"] }],
            },
            mediatypeid: {
              type: "id",
              refers: "mediatype",
              absentElsewhere: true,
              only: [{ field: "operationtype", oneOf: ["0", "12"] }],
            },
          },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["0", "11", "12"] }],
          needed: [{ field: "operationtype", oneOf: ["0", "11", "12"] }],
        },
        opmessage_grp: {
          type: "list",
          fields: { usrgrpid: { type: "id", required: true } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["0"] }],
        },
        opmessage_usr: {
          type: "list",
          fields: { userid: { type: "id", required: true } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["0"] }],
        },
        opmessage_oncall: {
          type: "list",
          fields: { oncallid: { type: "id", required: true, refers: "oncall" } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["0"] }],
        },
        opcommand: {
          type: "object",
          fields: { scriptid: { type: "id", required: true, refers: "script" } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["1"] }],
          needed: [{ field: "operationtype", oneOf: ["1"] }],
        },
        opcommand_grp: {
          type: "list",
          fields: { groupid: { type: "id", required: true } },
          absentElsewhere: true,
          only: [
            { field: "operationtype", oneOf: ["1"] },
            { field: "eventsource", oneOf: ["0", "1", "2"] },
          ],
        },
        opcommand_hst: {
          type: "list",
          fields: { hostid: { type: "id", required: true } },
          absentElsewhere: true,
          only: [
            { field: "operationtype", oneOf: ["1"] },
            { field: "eventsource", oneOf: ["0", "1", "2"] },
          ],
        },
        opgroup: {
          type: "list",
          fields: { groupid: { type: "id", required: true } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["4", "5"] }],
          needed: [{ field: "operationtype", oneOf: ["4", "5"] }],
        },
        optemplate: {
          type: "list",
          fields: { templateid: { type: "id", required: true } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["6", "7"] }],
          needed: [{ field: "operationtype", oneOf: ["6", "7"] }],
        },
        opinventory: {
          type: "object",
          fields: { inventory_mode: { type: "code", codes: ["0", "1"], default: "0" } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["10"] }],
          needed: [{ field: "operationtype", oneOf: ["10"] }],
        },
        optag: {
          type: "list",
          fields: {
            tag: { type: "text", max: 255, required: true },
            value: { type: "text", max: 255 },
          },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["13", "14"] }],
          needed: [{ field: "operationtype", oneOf: ["13", "14"] }],
        },
      },
      notAnswered: true,
      absentElsewhere: true,
      only: [{ field: "eventsource", oneOf: ["0", "3", "4"] }],
    },
    update_operations: {
      type: "list",
      fields: {
        operationid: { type: "id", readOnly: true },
        operationtype: { type: "int", min: -2147483648, max: 2147483647, required: true },
        esc_period: {
          type: "text",
          max: 255,
          readOnly: true,
          absentElsewhere: true,
          only: [{ field: "eventsource", oneOf: ["0", "3", "4"] }],
        },
        esc_step_from: {
          type: "int",
          min: 1,
          max: 99999,
          readOnly: true,
          absentElsewhere: true,
          only: [{ field: "eventsource", oneOf: ["0", "3", "4"] }],
        },
        esc_step_to: {
          type: "int",
          min: 0,
          max: 99999,
          readOnly: true,
          absentElsewhere: true,
          only: [{ field: "eventsource", oneOf: ["0", "3", "4"] }],
        },
        evaltype: {
          type: "code",
          codes: ["0", "1", "2"],
          readOnly: true,
          absentElsewhere: true,
          only: [{ field: "eventsource", oneOf: ["0"] }],
        },
        opconditions: {
          type: "list",
          fields: {
            conditiontype: { type: "code", codes: ["14"], required: true },
            value: { type: "text", max: 255, required: true },
            operator: { type: "code", codes: ["0"], default: "0" },
          },
          readOnly: true,
          absentElsewhere: true,
          only: [{ field: "eventsource", oneOf: ["0"] }],
        },
        opmessage: {
          type: "object",
          fields: {
            default_msg: { type: "code", codes: ["0", "1"], default: "1" },
            subject: {
              type: "text",
              max: 255,
              absentElsewhere: true,
              only: [{ field: "default_msg", oneOf: ["0"] }],
            },
            message: {
              type: "text",
              max: 65535,
              absentElsewhere: true,
              only: [{ field: "default_msg", oneOf: ["0"] }],
            },
            mediatypeid: {
              type: "id",
              refers: "mediatype",
              absentElsewhere: true,
              only: [{ field: "operationtype", oneOf: ["0", "12"] }],
            },
          },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["0", "11", "12"] }],
          needed: [{ field: "operationtype", oneOf: ["0", "11", "12"] }],
        },
        opmessage_grp: {
          type: "list",
          fields: { usrgrpid: { type: "id", required: true } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["0"] }],
        },
        opmessage_usr: {
          type: "list",
          fields: { userid: { type: "id", required: true } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["0"] }],
        },
        opmessage_oncall: {
          type: "list",
          fields: { oncallid: { type: "id", required: true, refers: "oncall" } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["0"] }],
        },
        opcommand: {
          type: "object",
          fields: { scriptid: { type: "id", required: true, refers: "script" } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["1"] }],
          needed: [{ field: "operationtype", oneOf: ["1"] }],
        },
        opcommand_grp: {
          type: "list",
          fields: { groupid: { type: "id", required: true } },
          absentElsewhere: true,
          only: [
            { field: "operationtype", oneOf: ["1"] },
            { field: "eventsource", oneOf: ["0", "1", "2"] },
          ],
        },
        opcommand_hst: {
          type: "list",
          fields: { hostid: { type: "id", required: true } },
          absentElsewhere: true,
          only: [
            { field: "operationtype", oneOf: ["1"] },
            { field: "eventsource", oneOf: ["0", "1", "2"] },
          ],
        },
        opgroup: {
          type: "list",
          fields: { groupid: { type: "id", required: true } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["4", "5"] }],
          needed: [{ field: "operationtype", oneOf: ["4", "5"] }],
        },
        optemplate: {
          type: "list",
          fields: { templateid: { type: "id", required: true } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["6", "7"] }],
          needed: [{ field: "operationtype", oneOf: ["6", "7"] }],
        },
        opinventory: {
          type: "object",
          fields: { inventory_mode: { type: "code", codes: ["0", "1"], default: "0" } },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["10"] }],
          needed: [{ field: "operationtype", oneOf: ["10"] }],
        },
        optag: {
          type: "list",
          fields: {
            tag: { type: "text", max: 255, required: true },
            value: { type: "text", max: 255 },
          },
          absentElsewhere: true,
          only: [{ field: "operationtype", oneOf: ["13", "14"] }],
          needed: [{ field: "operationtype", oneOf: ["13", "14"] }],
        },
      },
      notAnswered: true,
      absentElsewhere: true,
      only: [{ field: "eventsource", oneOf: ["0", "4"] }],
    },
    notify_if_canceled: {
      type: "code",
      codes: ["0", "1"],
      default: "1",
      absentElsewhere: true,
      only: [{ field: "eventsource", oneOf: ["0"] }],
    },
  },
  selects: {
    filter: { param: "selectFilter" },
    operations: { param: "selectOperations" },
    recovery_operations: { param: "selectRecoveryOperations" },
    update_operations: { param: "selectUpdateOperations" },
  },
} as const;
