// A first dashboard: problems, their hosts and ages, and the state of the server.

import type { DashboardDraft, Widget, WidgetField } from "@/api/dashboards";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { FIELD } from "./fields";

type Values = Readonly<Record<string, string | number>>;

const fieldsOf = (values: Values): readonly WidgetField[] =>
  Object.entries(values).map(([name, value]) => ({
    type: typeof value === "number" ? FIELD.number : FIELD.text,
    name,
    value: String(value),
  }));

type Place = readonly [x: number, y: number, width: number, height: number];

function widget(type: string, place: Place, values: Values = {}, name = ""): Widget {
  const [x, y, width, height] = place.map(String) as [string, string, string, string];
  return { type, name, view_mode: "0", x, y, width, height, fields: fieldsOf(values) };
}

/** A bar of percents. */
function column(at: number, name: string, item: string): Values {
  return {
    [`columns.${at}.data`]: 1,
    [`columns.${at}.name`]: name,
    [`columns.${at}.item`]: item,
    [`columns.${at}.display`]: 2,
    [`columns.${at}.min`]: "0",
    [`columns.${at}.max`]: "100",
    [`columns.${at}.thresholds.0.threshold`]: "0",
    [`columns.${at}.thresholds.0.color`]: "0EC9AC",
    [`columns.${at}.thresholds.1.threshold`]: "80",
    [`columns.${at}.thresholds.1.color`]: "FF465C",
  };
}

/** What a new server has as well (`templates/dashboards/global_view.json`), in the user's language.
 * For all users, of the one who makes it. */
export function globalView(userid: Id): DashboardDraft {
  const widgets = [
    widget("problemsbysv", [0, 0, 54, 2], { show_type: 1 }),
    widget("clock", [54, 0, 18, 2], { clock_type: 1, "show.0": 1, "show.1": 2 }),
    widget("problems", [0, 2, 54, 7], { show: 3, show_tags: 2, sort_triggers: 1, show_lines: 50 }),
    widget("hostavail", [54, 2, 18, 4]),
    widget("systeminfo", [54, 6, 18, 7]),
    widget("problemhosts", [0, 9, 27, 4]),
    widget(
      "toptriggers",
      [27, 9, 27, 4],
      { "time_period.from": "now-1d", "time_period.to": "now", rf_rate: 600 },
      t("Noisiest triggers of the last day"),
    ),
    widget(
      "tophosts",
      [0, 13, 36, 5],
      {
        "columns.0.data": 2,
        "columns.0.name": t("Host"),
        ...column(1, t("CPU"), "CPU: busy"),
        ...column(2, t("Memory"), "Memory: in use"),
        column: 1,
      },
      t("Busiest hosts"),
    ),
    widget(
      "svggraph",
      [36, 13, 36, 5],
      {
        reference: "AAAAA",
        "ds.0.hosts.0": "*",
        "ds.0.items.0": "CPU: busy",
        "ds.0.items.1": "CPU utilization",
        "ds.0.color": "3AA0D8",
        "ds.0.fill": 0,
        lefty_min: "0",
        legend_lines: 2,
      },
      t("CPU"),
    ),
  ];
  return {
    name: t("Global view"),
    userid,
    private: "0",
    users: [],
    userGroups: [],
    display_period: "30",
    auto_start: "1",
    pages: [{ name: "", display_period: "0", widgets }],
  };
}
