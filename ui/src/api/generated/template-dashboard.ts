// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";

/** Pages of widgets, for each host that links the template. */
export interface TemplateDashboard {
  /** Id. */
  readonly dashboardid: string;
  /** Identity in exports. */
  readonly uuid: string;
  /** Name. */
  readonly name: string;
  /** Template. Not changed later. */
  readonly templateid: string;
  /** Seconds that a page is shown in a slideshow. Default: 30. */
  readonly display_period: string;
  /** 1: the slideshow starts by itself. Default: 1. */
  readonly auto_start: string;
}

/** The properties of `select…` parameters. */
export interface TemplateDashboardSelects {
  /** `selectPages`. */
  readonly pages: readonly {
    /** Id. */
    readonly dashboard_pageid: string;
    /** Name. */
    readonly name: string;
    /** Seconds in a slideshow; 0: as the dashboard says. Default: 0. */
    readonly display_period: string;
    /** Widgets. */
    readonly widgets: readonly {
      /** Id. */
      readonly widgetid: string;
      /** Kind of widget. */
      readonly type: string;
      /** Heading. */
      readonly name: string;
      /** 1: without heading. Default: 0. */
      readonly view_mode: string;
      /** Column, of 72. Default: 0. */
      readonly x: string;
      /** Row, of 64. Default: 0. */
      readonly y: string;
      /** Columns. Default: 1. */
      readonly width: string;
      /** Rows. Default: 2. */
      readonly height: string;
      /** What it shows, and how. */
      readonly fields: readonly {
        /** 0 number, 1 text, or the id of a 2 host group, 3 host, 4 item, 5 item prototype, 6 graph, 7 graph prototype, 8 map, 9 service, 10 SLA, 11 user, 12 action, 13 media type. */
        readonly type: string;
        /** Name. */
        readonly name: string;
        /** By the type. */
        readonly value: string;
      }[];
    }[];
  }[];
}

/** Parameters of `templatedashboard.get`. */
export interface TemplateDashboardGet extends GetParams<keyof TemplateDashboard> {
  readonly selectPages?: Output<string> | undefined;
}

/** Parameters of `templatedashboard.create`. */
export interface TemplateDashboardCreate {
  /** Identity in exports. */
  readonly uuid?: string | undefined;
  /** Name. */
  readonly name: string;
  /** Template. Not changed later. */
  readonly templateid: string | number;
  /** Seconds that a page is shown in a slideshow. Default: 30. */
  readonly display_period?: string | number | undefined;
  /** 1: the slideshow starts by itself. Default: 1. */
  readonly auto_start?: string | number | undefined;
  /** Pages; 50 at most. */
  readonly pages: readonly {
    /** Id. */
    readonly dashboard_pageid?: string | number | undefined;
    /** Name. */
    readonly name?: string | undefined;
    /** Seconds in a slideshow; 0: as the dashboard says. Default: 0. */
    readonly display_period?: string | number | undefined;
    /** Widgets. */
    readonly widgets?: readonly {
      /** Id. */
      readonly widgetid?: string | number | undefined;
      /** Kind of widget. */
      readonly type: string;
      /** Heading. */
      readonly name?: string | undefined;
      /** 1: without heading. Default: 0. */
      readonly view_mode?: string | number | undefined;
      /** Column, of 72. Default: 0. */
      readonly x?: string | number | undefined;
      /** Row, of 64. Default: 0. */
      readonly y?: string | number | undefined;
      /** Columns. Default: 1. */
      readonly width?: string | number | undefined;
      /** Rows. Default: 2. */
      readonly height?: string | number | undefined;
      /** What it shows, and how. */
      readonly fields?: readonly {
        /** 0 number, 1 text, or the id of a 2 host group, 3 host, 4 item, 5 item prototype, 6 graph, 7 graph prototype, 8 map, 9 service, 10 SLA, 11 user, 12 action, 13 media type. */
        readonly type: string | number;
        /** Name. */
        readonly name?: string | undefined;
        /** By the type. */
        readonly value: string;
      }[] | undefined;
    }[] | undefined;
  }[];
}

/** Parameters of `templatedashboard.update`: omitted fields keep their values. */
export type TemplateDashboardUpdate = Partial<Omit<TemplateDashboardCreate, "templateid">> & { readonly dashboardid: string };

/** What forms and readers of answers have to know of it. */
export const TEMPLATE_DASHBOARD = {
  object: "templatedashboard",
  id: "dashboardid",
  ids: "dashboardids",
  fields: {
    dashboardid: { type: "id", readOnly: true },
    uuid: { type: "uuid" },
    name: { type: "text", max: 255, required: true },
    templateid: { type: "id", fixed: true, required: true },
    display_period: {
      type: "code",
      codes: ["10", "30", "60", "120", "600", "1800", "3600"],
      default: "30",
    },
    auto_start: { type: "code", codes: ["0", "1"], default: "1" },
    pages: {
      type: "list",
      fields: {
        dashboard_pageid: { type: "id", readOnly: true },
        name: { type: "text", max: 255 },
        display_period: {
          type: "code",
          codes: ["0", "10", "30", "60", "120", "600", "1800", "3600"],
          default: "0",
        },
        widgets: {
          type: "list",
          fields: {
            widgetid: { type: "id", readOnly: true },
            type: { type: "text", max: 255, required: true },
            name: { type: "text", max: 255 },
            view_mode: { type: "code", codes: ["0", "1"], default: "0" },
            x: { type: "int", min: 0, max: 71, default: "0" },
            y: { type: "int", min: 0, max: 63, default: "0" },
            width: { type: "int", min: 1, max: 72, default: "1" },
            height: { type: "int", min: 1, max: 64, default: "2" },
            fields: {
              type: "list",
              fields: {
                type: {
                  type: "code",
                  codes: [
                    "0",
                    "1",
                    "2",
                    "3",
                    "4",
                    "5",
                    "6",
                    "7",
                    "8",
                    "9",
                    "10",
                    "11",
                    "12",
                    "13",
                  ],
                  required: true,
                },
                name: { type: "text", max: 255 },
                value: { type: "text", max: 2048, required: true },
              },
            },
          },
        },
      },
      notAnswered: true,
      required: true,
    },
  },
  selects: { pages: { param: "selectPages" } },
} as const;
