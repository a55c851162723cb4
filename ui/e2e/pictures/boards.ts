// A dashboard with one widget of most kinds.

type Create = (method: string, params: unknown) => Promise<readonly string[]>;

interface Shown {
  readonly hostid: string;
  readonly cpu: string;
  readonly load: string;
  readonly memory: string;
  readonly log: string;
  readonly sysmapid: string;
  readonly groupids: readonly string[];
}

const number = (name: string, value: number) => ({ type: 0, name, value });
const text = (name: string, value: string) => ({ type: 1, name, value });
const group = (name: string, value: string) => ({ type: 2, name, value });
const host = (name: string, value: string) => ({ type: 3, name, value });
const item = (name: string, value: string) => ({ type: 4, name, value });
const map = (name: string, value: string) => ({ type: 8, name, value });

const LOW = "0EC9AC";
const MIDDLE = "FFD54F";
const BAD = "FF465C";
const THRESHOLDS = [
  text("thresholds.0.threshold", "0"),
  text("thresholds.0.color", LOW),
  text("thresholds.1.threshold", "60"),
  text("thresholds.1.color", MIDDLE),
  text("thresholds.2.threshold", "85"),
  text("thresholds.2.color", BAD),
];

function widget(
  type: string,
  name: string,
  [x, y, width, height]: readonly [number, number, number, number],
  fields: readonly object[] = [],
) {
  return { type, name, x, y, width, height, fields };
}

export async function makeBoards(create: Create, shown: Shown): Promise<void> {
  await create("dashboard", {
    name: "The shop at a glance",
    auto_start: 0,
    pages: [
      { name: "Now", widgets: nowWidgets(shown) },
      { name: "Hosts", widgets: hostWidgets(shown) },
      { name: "Further", widgets: furtherWidgets(shown) },
    ],
  });
  await create("dashboard", { name: "Empty", pages: [{ widgets: [] }] });
}

function nowWidgets({ cpu, load, memory, log }: Shown) {
  return [
    widget("problemsbysv", "", [0, 0, 54, 3], [number("show_type", 1)]),
    widget(
      "clock",
      "",
      [54, 0, 18, 3],
      [number("clock_type", 1), number("show.0", 1), number("show.1", 2)],
    ),
    widget(
      "problems",
      "Problems, High and above",
      [0, 3, 44, 5],
      [number("severities.0", 4), number("severities.1", 5), number("show_tags", 3)],
    ),
    widget(
      "gauge",
      "",
      [44, 3, 14, 5],
      [item("itemid.0", cpu), ...THRESHOLDS, number("th_show_arc", 1)],
    ),
    widget(
      "item",
      "Memory",
      [58, 3, 14, 5],
      [item("itemid.0", memory), number("show.0", 2), number("show.1", 3), number("show.2", 4)],
    ),
    widget(
      "svggraph",
      "CPU of web servers",
      [0, 8, 48, 5],
      [
        text("reference", "AAAAA"),
        text("ds.0.hosts.0", "web-*"),
        text("ds.0.items.0", "CPU utilization"),
        text("ds.0.color", "2CAE7C"),
        text("lefty_min", "0"),
        text("lefty_max", "100"),
        number("legend_statistic", 1),
        number("legend_lines", 3),
      ],
    ),
    widget(
      "piechart",
      "Load by host",
      [48, 8, 24, 5],
      [
        text("ds.0.hosts.0", "*.fra"),
        text("ds.0.items.0", "Load average*"),
        text("ds.0.color", "5A49C7"),
        number("draw_type", 1),
        number("total_show", 1),
      ],
    ),
    widget(
      "itemhistory",
      "Log of the shop",
      [0, 13, 48, 4],
      [
        text("columns.0.name", "Message"),
        item("columns.0.itemid", log),
        number("columns.0.monospace_font", 1),
        number("show_timestamp", 1),
      ],
    ),
    widget("item", "Load", [48, 13, 12, 4], [item("itemid.0", load), text("bg_color", "1E88E5")]),
    widget("url", "", [60, 13, 12, 4], [text("url", "about:blank")]),
  ];
}

function hostWidgets({ groupids }: Shown) {
  const groups = groupids.map((id, at) => group(`groupids.${at}`, id));
  return [
    widget(
      "honeycomb",
      "CPU utilization",
      [0, 0, 36, 5],
      [text("items.0", "CPU utilization"), ...THRESHOLDS],
    ),
    widget(
      "tophosts",
      "Top hosts by CPU",
      [36, 0, 36, 5],
      [
        text("columns.0.name", "Host"),
        number("columns.0.data", 2),
        text("columns.1.name", "CPU"),
        number("columns.1.data", 1),
        text("columns.1.item", "CPU utilization"),
        number("columns.1.display", 2),
        text("columns.1.min", "0"),
        text("columns.1.max", "100"),
        text("columns.2.name", "Memory"),
        number("columns.2.data", 1),
        text("columns.2.item", "Memory utilization"),
        number("column", 1),
        number("show_lines", 10),
      ],
    ),
    widget("problemhosts", "", [0, 5, 36, 4], groups),
    widget("hostavail", "", [36, 5, 36, 4]),
    widget("hostnavigator", "", [0, 9, 18, 5], [text("reference", "HOSTN")]),
    widget("itemnavigator", "", [18, 9, 18, 5], [text("reference", "ITEMN"), text("items.0", "*")]),
    widget("dataover", "Temperatures", [36, 9, 36, 5], groups),
  ];
}

function furtherWidgets({ sysmapid, hostid, cpu }: Shown) {
  return [
    widget("map", "", [0, 0, 36, 7], [map("sysmapid.0", sysmapid)]),
    widget("geomap", "", [36, 0, 36, 7]),
    widget("trigover", "", [0, 7, 36, 4]),
    widget("actionlog", "", [36, 7, 36, 4]),
    widget("systeminfo", "", [0, 11, 24, 4]),
    widget("web", "", [24, 11, 24, 4], [host("hostids.0", hostid)]),
    widget("discovery", "", [48, 11, 24, 4]),
    widget("graph", "Classic", [0, 15, 36, 4], [number("source_type", 1), item("itemid.0", cpu)]),
    widget("toptriggers", "", [36, 15, 24, 4]),
    widget("hostcard", "", [0, 19, 24, 4], [host("hostid.0", hostid)]),
    widget(
      "text",
      "On call",
      [24, 19, 24, 4],
      [text("text", "# On call\n\n- **Ada**, until Friday\n- [wiki](https://wiki.example.com/)")],
    ),
    widget("slareport", "", [48, 19, 24, 4]),
    widget("notknown", "From afar", [60, 15, 12, 4]),
  ];
}
