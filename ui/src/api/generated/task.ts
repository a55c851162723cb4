// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams } from "./get";

/** A one-time task. Only diagnostic information is kept for a while, the last 100. */
export interface Task {
  /** Id. */
  readonly taskid: string;
  /** 1 diagnostic information, 2 refresh of the configuration of proxies, 6 execute now; get returns 7 for the former and none of the latter. */
  readonly type: string;
  /** Always 3: done. */
  readonly status: string;
  /** When it was made. */
  readonly clock: string;
  /** Seconds until it expires: an hour. */
  readonly ttl: string;
  /** Always 0: there are no proxies yet. Default: 0. */
  readonly proxyid: string;
  /** The object to execute, or the figures of the server to return. */
  readonly request: {
    /** Type 6: item or discovery rule. */
    readonly itemid: string;
    /** Type 2: proxies; there are none yet. */
    readonly proxyids: readonly string[];
    /** Type 1: values that wait to be stored. */
    readonly historycache: {
      /** Figures: `extend` or a list of names; those that the server does not have are left out. */
      readonly stats: readonly string[];
      /** The largest; there are none. */
      readonly top: {
        /** How many, sorted by this. */
        readonly values: string;
      } | readonly [];
    } | readonly [];
    /** Type 1: values that triggers read. */
    readonly valuecache: {
      /** Figures: `extend` or a list of names; those that the server does not have are left out. */
      readonly stats: readonly string[];
      /** The largest; there are none. */
      readonly top: {
        /** How many, sorted by this. */
        readonly values: string;
        /** How many, sorted by this. */
        readonly "request.values": string;
      } | readonly [];
    } | readonly [];
    /** Type 1: values that wait for preprocessing. */
    readonly preprocessing: {
      /** Figures: `extend` or a list of names; those that the server does not have are left out. */
      readonly stats: readonly string[];
      /** The largest; there are none. */
      readonly top: {
        /** How many, sorted by this. */
        readonly values: string;
      } | readonly [];
    } | readonly [];
    /** Type 1: alerts that wait. */
    readonly alerting: {
      /** Figures: `extend` or a list of names; those that the server does not have are left out. */
      readonly stats: readonly string[];
      /** The largest; there are none. */
      readonly top: {
        /** How many, sorted by this. */
        readonly "media.alerts": string;
        /** How many, sorted by this. */
        readonly "source.alerts": string;
      } | readonly [];
    } | readonly [];
    /** Type 1: values of discovery rules that wait. */
    readonly lld: {
      /** Figures: `extend` or a list of names; those that the server does not have are left out. */
      readonly stats: readonly string[];
      /** The largest; there are none. */
      readonly top: {
        /** How many, sorted by this. */
        readonly values: string;
      } | readonly [];
    } | readonly [];
    /** Type 1: values that wait to be streamed. */
    readonly connector: {
      /** Figures: `extend` or a list of names; those that the server does not have are left out. */
      readonly stats: readonly string[];
      /** The largest; there are none. */
      readonly top: {
        /** How many, sorted by this. */
        readonly values: string;
      } | readonly [];
    } | readonly [];
  } | readonly [];
  /** The result. */
  readonly result: {
    /** What was asked for. */
    readonly data: Record<string, never>;
    /** Always 0: the figures are in the answer. */
    readonly status: string;
  } | readonly [];
}

/** Parameters of `task.get`. */
export type TaskGet = GetParams<keyof Task>;

/** Parameters of `task.create`. */
export interface TaskCreate {
  /** 1 diagnostic information, 2 refresh of the configuration of proxies, 6 execute now; get returns 7 for the former and none of the latter. */
  readonly type: string | number;
  /** Always 0: there are no proxies yet. Default: 0. */
  readonly proxyid?: string | number | undefined;
  /** The object to execute, or the figures of the server to return. */
  readonly request: {
    /** Type 6: item or discovery rule. */
    readonly itemid?: string | number | undefined;
    /** Type 2: proxies; there are none yet. */
    readonly proxyids?: readonly string[] | undefined;
    /** Type 1: values that wait to be stored. */
    readonly historycache?: {
      /** Figures: `extend` or a list of names; those that the server does not have are left out. */
      readonly stats?: readonly string[] | undefined;
      /** The largest; there are none. */
      readonly top?: {
        /** How many, sorted by this. */
        readonly values?: string | number | undefined;
      } | undefined;
    } | undefined;
    /** Type 1: values that triggers read. */
    readonly valuecache?: {
      /** Figures: `extend` or a list of names; those that the server does not have are left out. */
      readonly stats?: readonly string[] | undefined;
      /** The largest; there are none. */
      readonly top?: {
        /** How many, sorted by this. */
        readonly values?: string | number | undefined;
        /** How many, sorted by this. */
        readonly "request.values"?: string | number | undefined;
      } | undefined;
    } | undefined;
    /** Type 1: values that wait for preprocessing. */
    readonly preprocessing?: {
      /** Figures: `extend` or a list of names; those that the server does not have are left out. */
      readonly stats?: readonly string[] | undefined;
      /** The largest; there are none. */
      readonly top?: {
        /** How many, sorted by this. */
        readonly values?: string | number | undefined;
      } | undefined;
    } | undefined;
    /** Type 1: alerts that wait. */
    readonly alerting?: {
      /** Figures: `extend` or a list of names; those that the server does not have are left out. */
      readonly stats?: readonly string[] | undefined;
      /** The largest; there are none. */
      readonly top?: {
        /** How many, sorted by this. */
        readonly "media.alerts"?: string | number | undefined;
        /** How many, sorted by this. */
        readonly "source.alerts"?: string | number | undefined;
      } | undefined;
    } | undefined;
    /** Type 1: values of discovery rules that wait. */
    readonly lld?: {
      /** Figures: `extend` or a list of names; those that the server does not have are left out. */
      readonly stats?: readonly string[] | undefined;
      /** The largest; there are none. */
      readonly top?: {
        /** How many, sorted by this. */
        readonly values?: string | number | undefined;
      } | undefined;
    } | undefined;
    /** Type 1: values that wait to be streamed. */
    readonly connector?: {
      /** Figures: `extend` or a list of names; those that the server does not have are left out. */
      readonly stats?: readonly string[] | undefined;
      /** The largest; there are none. */
      readonly top?: {
        /** How many, sorted by this. */
        readonly values?: string | number | undefined;
      } | undefined;
    } | undefined;
  };
}

/** What forms and readers of answers have to know of it. */
export const TASK = {
  object: "task",
  id: "taskid",
  ids: "taskids",
  fields: {
    taskid: { type: "id", readOnly: true },
    type: { type: "code", codes: ["1", "2", "6"], required: true },
    status: { type: "code", codes: ["3"], readOnly: true },
    clock: { type: "time", readOnly: true },
    ttl: { type: "int", min: 0, max: 3600, readOnly: true },
    proxyid: { type: "id", default: "0" },
    request: {
      type: "object",
      fields: {
        itemid: { type: "id" },
        proxyids: { type: "texts" },
        historycache: {
          type: "object",
          fields: {
            stats: { type: "texts" },
            top: {
              type: "object",
              fields: { values: { type: "int", min: -2147483648, max: 2147483647 } },
            },
          },
        },
        valuecache: {
          type: "object",
          fields: {
            stats: { type: "texts" },
            top: {
              type: "object",
              fields: {
                values: { type: "int", min: -2147483648, max: 2147483647 },
                "request.values": { type: "int", min: -2147483648, max: 2147483647 },
              },
            },
          },
        },
        preprocessing: {
          type: "object",
          fields: {
            stats: { type: "texts" },
            top: {
              type: "object",
              fields: { values: { type: "int", min: -2147483648, max: 2147483647 } },
            },
          },
        },
        alerting: {
          type: "object",
          fields: {
            stats: { type: "texts" },
            top: {
              type: "object",
              fields: {
                "media.alerts": { type: "int", min: -2147483648, max: 2147483647 },
                "source.alerts": { type: "int", min: -2147483648, max: 2147483647 },
              },
            },
          },
        },
        lld: {
          type: "object",
          fields: {
            stats: { type: "texts" },
            top: {
              type: "object",
              fields: { values: { type: "int", min: -2147483648, max: 2147483647 } },
            },
          },
        },
        connector: {
          type: "object",
          fields: {
            stats: { type: "texts" },
            top: {
              type: "object",
              fields: { values: { type: "int", min: -2147483648, max: 2147483647 } },
            },
          },
        },
      },
      required: true,
    },
    result: {
      type: "object",
      fields: {
        data: { type: "object", fields: {}, readOnly: true },
        status: { type: "code", codes: ["0"], readOnly: true },
      },
      readOnly: true,
    },
  },
} as const;
