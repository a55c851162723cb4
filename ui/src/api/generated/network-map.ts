// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";
import type { IconMap } from "./icon-map";

/** Elements for hosts, groups, triggers and maps, with the links between them. */
export interface NetworkMap {
  /** Id. */
  readonly sysmapid: string;
  /** Name. */
  readonly name: string;
  /** Pixels. */
  readonly width: string;
  /** Pixels. */
  readonly height: string;
  /** Background image; 0 none. Default: 0. */
  readonly backgroundid: string;
  /** 0 the image has its own size, 1 it covers the map. Default: 0. */
  readonly background_scale: string;
  /** What labels show: 0 the label, 1 the address, 2 the name, 3 the status alone, 4 nothing. Default: 2. */
  readonly label_type: string;
  /** 0 bottom, 1 left, 2 right, 3 top. Default: 0. */
  readonly label_location: string;
  /** 0 when pointed at, 1 always. Default: 1. */
  readonly show_element_label: string;
  /** 0 when pointed at, 1 always. Default: 1. */
  readonly show_link_label: string;
  /** 1: what has problems is highlighted. Default: 1. */
  readonly highlight: string;
  /** 0 the number of problems, 1 the problem's name if there is one, 2 the number and the worst one. Default: 1. */
  readonly expandproblem: string;
  /** 1: what changed lately is marked. Default: 0. */
  readonly markelements: string;
  /** Problems that labels count: 0 all, 1 unacknowledged ones, 2 both, separately. Default: 0. */
  readonly show_unack: string;
  /** Pixels. Default: 50. */
  readonly grid_size: string;
  /** 1: the editor shows the grid. Default: 1. */
  readonly grid_show: string;
  /** 1: the editor aligns elements to it. Default: 1. */
  readonly grid_align: string;
  /** 1: the next five say what labels show, kind by kind. Default: 0. */
  readonly label_format: string;
  /** As `label_type`, or 5: a text, of host elements. Default: 2. */
  readonly label_type_host: string;
  /** Of host group elements; no address. Default: 2. */
  readonly label_type_hostgroup: string;
  /** Of trigger elements; no address. Default: 2. */
  readonly label_type_trigger: string;
  /** Of map elements; no address. Default: 2. */
  readonly label_type_map: string;
  /** Of images; no address, no status. Default: 2. */
  readonly label_type_image: string;
  /** The text, of host elements. */
  readonly label_string_host: string;
  /** The text, of host group elements. */
  readonly label_string_hostgroup: string;
  /** The text, of trigger elements. */
  readonly label_string_trigger: string;
  /** The text, of map elements. */
  readonly label_string_map: string;
  /** The text, of images. */
  readonly label_string_image: string;
  /** Icon map; 0 none. Default: 0. */
  readonly iconmapid: string;
  /** 1: the editor expands macros. Default: 0. */
  readonly expand_macros: string;
  /** The least severity of problems that count. Default: 0. */
  readonly severity_min: string;
  /** Owner; who makes it if left out. */
  readonly userid: string;
  /** 0: all users see it. Default: 1. */
  readonly private: string;
  /** 1: suppressed problems count, too. Default: 0. */
  readonly show_suppressed: string;
}

/** The properties of `select…` parameters. */
export interface NetworkMapSelects {
  /** `selectSelements`. */
  readonly selements: readonly {
    /** Id. */
    readonly selementid: string;
    /** 0 host, 1 map, 2 trigger, 3 host group, 4 image. Default: 0. */
    readonly elementtype: string;
    /** What it stands for; several triggers, one of anything else. */
    readonly elements: readonly {
      /** Host. */
      readonly hostid: string;
      /** Map. */
      readonly sysmapid: string;
      /** Trigger. */
      readonly triggerid: string;
      /** Host group. */
      readonly groupid: string;
    }[];
    /** Icon. */
    readonly iconid_off: string;
    /** Icon with problems; 0: `iconid_off`, as for the next two. Default: 0. */
    readonly iconid_on: string;
    /** Icon of what is disabled. Default: 0. */
    readonly iconid_disabled: string;
    /** Icon in maintenance. Default: 0. */
    readonly iconid_maintenance: string;
    /** Label; macros are expanded. */
    readonly label: string;
    /** -1 as the map says, 0 bottom, 1 left, 2 right, 3 top. Default: -1. */
    readonly label_location: string;
    /** -1 as the map says, 0 when pointed at, 1 always. Default: -1. */
    readonly show_label: string;
    /** Pixels from the left. Default: 0. */
    readonly x: string;
    /** Pixels from the top. Default: 0. */
    readonly y: string;
    /** Of a host group: 0 one element, 1 each of its hosts. Default: 0. */
    readonly elementsubtype: string;
    /** Of a host group: 0 the whole map, 1 an area. Default: 0. */
    readonly areatype: string;
    /** Of the area. Default: 200. */
    readonly width: string;
    /** Of the area. Default: 200. */
    readonly height: string;
    /** 0 hosts stand in a grid. Default: 0. */
    readonly viewtype: string;
    /** Of a host: by the icon map, if there is one. Default: 1. */
    readonly use_iconmap: string;
    /** Of tags: 0 and/or, 2 or. Default: 0. */
    readonly evaltype: string;
    /** Problems that count. */
    readonly tags: readonly {
      /** Name of the tag. */
      readonly tag: string;
      /** Value. */
      readonly value: string;
      /** 0 contains, 1 equals, 2 does not contain, 3 does not equal, 4 exists, 5 does not exist. Default: 0. */
      readonly operator: string;
    }[];
    /** Addresses in its menu. */
    readonly urls: readonly {
      /** Id. */
      readonly sysmapelementurlid: string;
      /** Name. */
      readonly name: string;
      /** Address; macros are expanded. */
      readonly url: string;
    }[];
    /** Higher ones are drawn above. Default: 0. */
    readonly zindex: string;
    /** Answered only: -1 the caller may not see it, 2 may read it, 3 may write it. */
    readonly permission: string;
  }[];
  /** `selectLinks`. */
  readonly links: readonly {
    /** Id. */
    readonly linkid: string;
    /** First element. */
    readonly selementid1: string;
    /** Second element. */
    readonly selementid2: string;
    /** Without problems. Default: 000000. */
    readonly color: string;
    /** 0 line, 2 bold line, 3 dotted line, 4 dashed line. Default: 0. */
    readonly drawtype: string;
    /** Label; macros are expanded. */
    readonly label: string;
    /** -1 as the map says, 0 when pointed at, 1 always. Default: -1. */
    readonly show_label: string;
    /** What it looks like by: 0 nothing, 1 triggers, 2 the value of an item; with `linktriggers` alone it is 1. Default: 0. */
    readonly indicator_type: string;
    /** Triggers that show on it; the one of the worst problem counts. */
    readonly linktriggers: readonly {
      /** Id. */
      readonly linktriggerid: string;
      /** Trigger. */
      readonly triggerid: string;
      /** While it is a problem. Default: DD0000. */
      readonly color: string;
      /** 0 line, 2 bold line, 3 dotted line, 4 dashed line. Default: 0. */
      readonly drawtype: string;
    }[];
    /** The item of indicator 2; 0 none. Default: 0. */
    readonly itemid: string;
    /** Of a numeric item: the highest that the value has reached counts. */
    readonly thresholds: readonly {
      /** Number, with a suffix or without. */
      readonly threshold: string;
      /** From this value on. Default: DD0000. */
      readonly color: string;
      /** 0 line, 2 bold line, 3 dotted line, 4 dashed line. Default: 0. */
      readonly drawtype: string;
    }[];
    /** Of an item of another type: the first that the value matches counts. */
    readonly highlights: readonly {
      /** Regular expression. */
      readonly pattern: string;
      /** While the value matches. Default: DD0000. */
      readonly color: string;
      /** 0 line, 2 bold line, 3 dotted line, 4 dashed line. Default: 0. */
      readonly drawtype: string;
    }[];
    /** As of elements. */
    readonly permission: string;
  }[];
  /** `selectShapes`. */
  readonly shapes: readonly {
    /** Id. */
    readonly sysmap_shapeid: string;
    /** 0 rectangle, 1 ellipse. Default: 0. */
    readonly type: string;
    /** Pixels from the left. Default: 0. */
    readonly x: string;
    /** Pixels from the top. Default: 0. */
    readonly y: string;
    /** Pixels. Default: 200. */
    readonly width: string;
    /** Pixels. Default: 200. */
    readonly height: string;
    /** Text; macros are expanded. */
    readonly text: string;
    /** 0 to 8 with serifs or of pictures of them, 9 to 11 without serifs, 12 of one width. Default: 9. */
    readonly font: string;
    /** Pixels. Default: 11. */
    readonly font_size: string;
    /** Of the text. Default: 000000. */
    readonly font_color: string;
    /** 0 center, 1 left, 2 right. Default: 0. */
    readonly text_halign: string;
    /** 0 middle, 1 top, 2 bottom. Default: 0. */
    readonly text_valign: string;
    /** 0 none, 1 line, 2 dotted, 3 dashed. Default: 0. */
    readonly border_type: string;
    /** Pixels. Default: 0. */
    readonly border_width: string;
    /** Of the border. Default: 000000. */
    readonly border_color: string;
    /** Empty: transparent. */
    readonly background_color: string;
    /** Higher ones are drawn above. Default: 0. */
    readonly zindex: string;
  }[];
  /** `selectLines`. */
  readonly lines: readonly {
    /** Id. */
    readonly sysmap_shapeid: string;
    /** Pixels from the left. Default: 0. */
    readonly x1: string;
    /** Pixels from the top. Default: 0. */
    readonly y1: string;
    /** Pixels from the left. Default: 200. */
    readonly x2: string;
    /** Pixels from the top. Default: 200. */
    readonly y2: string;
    /** 0 none, 1 line, 2 dotted, 3 dashed. Default: 0. */
    readonly line_type: string;
    /** Pixels. Default: 0. */
    readonly line_width: string;
    /** Color. Default: 000000. */
    readonly line_color: string;
    /** Higher ones are drawn above. Default: 0. */
    readonly zindex: string;
  }[];
  /** `selectUrls`. */
  readonly urls: readonly {
    /** Id. */
    readonly sysmapurlid: string;
    /** Name. */
    readonly name: string;
    /** Address; macros are expanded. */
    readonly url: string;
    /** Elements that have it: 0 hosts, 1 maps, 2 triggers, 3 host groups, 4 images. Default: 0. */
    readonly elementtype: string;
  }[];
  /** `selectUsers`. */
  readonly users: readonly {
    /** User. */
    readonly userid: string;
    /** 2 read, 3 write. */
    readonly permission: string;
  }[];
  /** `selectUserGroups`. */
  readonly userGroups: readonly {
    /** User group. */
    readonly usrgrpid: string;
    /** 2 read, 3 write. */
    readonly permission: string;
  }[];
  /** `selectIconMap`. */
  readonly iconmap: IconMap | readonly [];
}

/** Parameters of `map.get`. */
export interface NetworkMapGet extends GetParams<keyof NetworkMap> {
  readonly selectSelements?: Output<string> | undefined;
  readonly selectLinks?: Output<string> | undefined;
  readonly selectShapes?: Output<string> | undefined;
  readonly selectLines?: Output<string> | undefined;
  readonly selectUrls?: Output<string> | undefined;
  readonly selectUsers?: Output<string> | undefined;
  readonly selectUserGroups?: Output<string> | undefined;
  readonly selectIconMap?: Output<keyof IconMap> | undefined;
}

/** Parameters of `map.create`. */
export interface NetworkMapCreate {
  /** Name. */
  readonly name: string;
  /** Pixels. */
  readonly width: string | number;
  /** Pixels. */
  readonly height: string | number;
  /** Background image; 0 none. Default: 0. */
  readonly backgroundid?: string | number | undefined;
  /** 0 the image has its own size, 1 it covers the map. Default: 0. */
  readonly background_scale?: string | number | undefined;
  /** What labels show: 0 the label, 1 the address, 2 the name, 3 the status alone, 4 nothing. Default: 2. */
  readonly label_type?: string | number | undefined;
  /** 0 bottom, 1 left, 2 right, 3 top. Default: 0. */
  readonly label_location?: string | number | undefined;
  /** 0 when pointed at, 1 always. Default: 1. */
  readonly show_element_label?: string | number | undefined;
  /** 0 when pointed at, 1 always. Default: 1. */
  readonly show_link_label?: string | number | undefined;
  /** 1: what has problems is highlighted. Default: 1. */
  readonly highlight?: string | number | undefined;
  /** 0 the number of problems, 1 the problem's name if there is one, 2 the number and the worst one. Default: 1. */
  readonly expandproblem?: string | number | undefined;
  /** 1: what changed lately is marked. Default: 0. */
  readonly markelements?: string | number | undefined;
  /** Problems that labels count: 0 all, 1 unacknowledged ones, 2 both, separately. Default: 0. */
  readonly show_unack?: string | number | undefined;
  /** Pixels. Default: 50. */
  readonly grid_size?: string | number | undefined;
  /** 1: the editor shows the grid. Default: 1. */
  readonly grid_show?: string | number | undefined;
  /** 1: the editor aligns elements to it. Default: 1. */
  readonly grid_align?: string | number | undefined;
  /** 1: the next five say what labels show, kind by kind. Default: 0. */
  readonly label_format?: string | number | undefined;
  /** As `label_type`, or 5: a text, of host elements. Default: 2. */
  readonly label_type_host?: string | number | undefined;
  /** Of host group elements; no address. Default: 2. */
  readonly label_type_hostgroup?: string | number | undefined;
  /** Of trigger elements; no address. Default: 2. */
  readonly label_type_trigger?: string | number | undefined;
  /** Of map elements; no address. Default: 2. */
  readonly label_type_map?: string | number | undefined;
  /** Of images; no address, no status. Default: 2. */
  readonly label_type_image?: string | number | undefined;
  /** The text, of host elements. */
  readonly label_string_host?: string | undefined;
  /** The text, of host group elements. */
  readonly label_string_hostgroup?: string | undefined;
  /** The text, of trigger elements. */
  readonly label_string_trigger?: string | undefined;
  /** The text, of map elements. */
  readonly label_string_map?: string | undefined;
  /** The text, of images. */
  readonly label_string_image?: string | undefined;
  /** Icon map; 0 none. Default: 0. */
  readonly iconmapid?: string | number | undefined;
  /** 1: the editor expands macros. Default: 0. */
  readonly expand_macros?: string | number | undefined;
  /** The least severity of problems that count. Default: 0. */
  readonly severity_min?: string | number | undefined;
  /** Owner; who makes it if left out. */
  readonly userid?: string | number | undefined;
  /** 0: all users see it. Default: 1. */
  readonly private?: string | number | undefined;
  /** 1: suppressed problems count, too. Default: 0. */
  readonly show_suppressed?: string | number | undefined;
  /** Elements. */
  readonly selements?: readonly {
    /** Id. */
    readonly selementid?: string | number | undefined;
    /** 0 host, 1 map, 2 trigger, 3 host group, 4 image. Default: 0. */
    readonly elementtype?: string | number | undefined;
    /** What it stands for; several triggers, one of anything else. */
    readonly elements?: readonly {
      /** Host. */
      readonly hostid?: string | number | undefined;
      /** Map. */
      readonly sysmapid?: string | number | undefined;
      /** Trigger. */
      readonly triggerid?: string | number | undefined;
      /** Host group. */
      readonly groupid?: string | number | undefined;
    }[] | undefined;
    /** Icon. */
    readonly iconid_off: string | number;
    /** Icon with problems; 0: `iconid_off`, as for the next two. Default: 0. */
    readonly iconid_on?: string | number | undefined;
    /** Icon of what is disabled. Default: 0. */
    readonly iconid_disabled?: string | number | undefined;
    /** Icon in maintenance. Default: 0. */
    readonly iconid_maintenance?: string | number | undefined;
    /** Label; macros are expanded. */
    readonly label?: string | undefined;
    /** -1 as the map says, 0 bottom, 1 left, 2 right, 3 top. Default: -1. */
    readonly label_location?: string | number | undefined;
    /** -1 as the map says, 0 when pointed at, 1 always. Default: -1. */
    readonly show_label?: string | number | undefined;
    /** Pixels from the left. Default: 0. */
    readonly x?: string | number | undefined;
    /** Pixels from the top. Default: 0. */
    readonly y?: string | number | undefined;
    /** Of a host group: 0 one element, 1 each of its hosts. Default: 0. */
    readonly elementsubtype?: string | number | undefined;
    /** Of a host group: 0 the whole map, 1 an area. Default: 0. */
    readonly areatype?: string | number | undefined;
    /** Of the area. Default: 200. */
    readonly width?: string | number | undefined;
    /** Of the area. Default: 200. */
    readonly height?: string | number | undefined;
    /** 0 hosts stand in a grid. Default: 0. */
    readonly viewtype?: string | number | undefined;
    /** Of a host: by the icon map, if there is one. Default: 1. */
    readonly use_iconmap?: string | number | undefined;
    /** Of tags: 0 and/or, 2 or. Default: 0. */
    readonly evaltype?: string | number | undefined;
    /** Problems that count. */
    readonly tags?: readonly {
      /** Name of the tag. */
      readonly tag: string;
      /** Value. */
      readonly value?: string | undefined;
      /** 0 contains, 1 equals, 2 does not contain, 3 does not equal, 4 exists, 5 does not exist. Default: 0. */
      readonly operator?: string | number | undefined;
    }[] | undefined;
    /** Addresses in its menu. */
    readonly urls?: readonly {
      /** Id. */
      readonly sysmapelementurlid?: string | number | undefined;
      /** Name. */
      readonly name: string;
      /** Address; macros are expanded. */
      readonly url: string;
    }[] | undefined;
    /** Higher ones are drawn above. Default: 0. */
    readonly zindex?: string | number | undefined;
    /** Answered only: -1 the caller may not see it, 2 may read it, 3 may write it. */
    readonly permission?: string | number | undefined;
  }[] | undefined;
  /** Links between elements. */
  readonly links?: readonly {
    /** Id. */
    readonly linkid?: string | number | undefined;
    /** First element. */
    readonly selementid1: string | number;
    /** Second element. */
    readonly selementid2: string | number;
    /** Without problems. Default: 000000. */
    readonly color?: string | undefined;
    /** 0 line, 2 bold line, 3 dotted line, 4 dashed line. Default: 0. */
    readonly drawtype?: string | number | undefined;
    /** Label; macros are expanded. */
    readonly label?: string | undefined;
    /** -1 as the map says, 0 when pointed at, 1 always. Default: -1. */
    readonly show_label?: string | number | undefined;
    /** What it looks like by: 0 nothing, 1 triggers, 2 the value of an item; with `linktriggers` alone it is 1. Default: 0. */
    readonly indicator_type?: string | number | undefined;
    /** Triggers that show on it; the one of the worst problem counts. */
    readonly linktriggers?: readonly {
      /** Id. */
      readonly linktriggerid?: string | number | undefined;
      /** Trigger. */
      readonly triggerid: string | number;
      /** While it is a problem. Default: DD0000. */
      readonly color?: string | undefined;
      /** 0 line, 2 bold line, 3 dotted line, 4 dashed line. Default: 0. */
      readonly drawtype?: string | number | undefined;
    }[] | undefined;
    /** The item of indicator 2; 0 none. Default: 0. */
    readonly itemid?: string | number | undefined;
    /** Of a numeric item: the highest that the value has reached counts. */
    readonly thresholds?: readonly {
      /** Number, with a suffix or without. */
      readonly threshold: string;
      /** From this value on. Default: DD0000. */
      readonly color?: string | undefined;
      /** 0 line, 2 bold line, 3 dotted line, 4 dashed line. Default: 0. */
      readonly drawtype?: string | number | undefined;
    }[] | undefined;
    /** Of an item of another type: the first that the value matches counts. */
    readonly highlights?: readonly {
      /** Regular expression. */
      readonly pattern: string;
      /** While the value matches. Default: DD0000. */
      readonly color?: string | undefined;
      /** 0 line, 2 bold line, 3 dotted line, 4 dashed line. Default: 0. */
      readonly drawtype?: string | number | undefined;
    }[] | undefined;
    /** As of elements. */
    readonly permission?: string | number | undefined;
  }[] | undefined;
  /** Shapes. */
  readonly shapes?: readonly {
    /** Id. */
    readonly sysmap_shapeid?: string | number | undefined;
    /** 0 rectangle, 1 ellipse. Default: 0. */
    readonly type?: string | number | undefined;
    /** Pixels from the left. Default: 0. */
    readonly x?: string | number | undefined;
    /** Pixels from the top. Default: 0. */
    readonly y?: string | number | undefined;
    /** Pixels. Default: 200. */
    readonly width?: string | number | undefined;
    /** Pixels. Default: 200. */
    readonly height?: string | number | undefined;
    /** Text; macros are expanded. */
    readonly text?: string | undefined;
    /** 0 to 8 with serifs or of pictures of them, 9 to 11 without serifs, 12 of one width. Default: 9. */
    readonly font?: string | number | undefined;
    /** Pixels. Default: 11. */
    readonly font_size?: string | number | undefined;
    /** Of the text. Default: 000000. */
    readonly font_color?: string | undefined;
    /** 0 center, 1 left, 2 right. Default: 0. */
    readonly text_halign?: string | number | undefined;
    /** 0 middle, 1 top, 2 bottom. Default: 0. */
    readonly text_valign?: string | number | undefined;
    /** 0 none, 1 line, 2 dotted, 3 dashed. Default: 0. */
    readonly border_type?: string | number | undefined;
    /** Pixels. Default: 0. */
    readonly border_width?: string | number | undefined;
    /** Of the border. Default: 000000. */
    readonly border_color?: string | undefined;
    /** Empty: transparent. */
    readonly background_color?: string | undefined;
    /** Higher ones are drawn above. Default: 0. */
    readonly zindex?: string | number | undefined;
  }[] | undefined;
  /** Lines. */
  readonly lines?: readonly {
    /** Id. */
    readonly sysmap_shapeid?: string | number | undefined;
    /** Pixels from the left. Default: 0. */
    readonly x1?: string | number | undefined;
    /** Pixels from the top. Default: 0. */
    readonly y1?: string | number | undefined;
    /** Pixels from the left. Default: 200. */
    readonly x2?: string | number | undefined;
    /** Pixels from the top. Default: 200. */
    readonly y2?: string | number | undefined;
    /** 0 none, 1 line, 2 dotted, 3 dashed. Default: 0. */
    readonly line_type?: string | number | undefined;
    /** Pixels. Default: 0. */
    readonly line_width?: string | number | undefined;
    /** Color. Default: 000000. */
    readonly line_color?: string | undefined;
    /** Higher ones are drawn above. Default: 0. */
    readonly zindex?: string | number | undefined;
  }[] | undefined;
  /** Addresses in elements' menus. */
  readonly urls?: readonly {
    /** Id. */
    readonly sysmapurlid?: string | number | undefined;
    /** Name. */
    readonly name: string;
    /** Address; macros are expanded. */
    readonly url: string;
    /** Elements that have it: 0 hosts, 1 maps, 2 triggers, 3 host groups, 4 images. Default: 0. */
    readonly elementtype?: string | number | undefined;
  }[] | undefined;
  /** Users that it is shared with. */
  readonly users?: readonly {
    /** User. */
    readonly userid: string | number;
    /** 2 read, 3 write. */
    readonly permission: string | number;
  }[] | undefined;
  /** User groups that it is shared with. */
  readonly userGroups?: readonly {
    /** User group. */
    readonly usrgrpid: string | number;
    /** 2 read, 3 write. */
    readonly permission: string | number;
  }[] | undefined;
}

/** Parameters of `map.update`: omitted fields keep their values. */
export type NetworkMapUpdate = Partial<NetworkMapCreate> & { readonly sysmapid: string };

/** What forms and readers of answers have to know of it. */
export const NETWORK_MAP = {
  object: "map",
  id: "sysmapid",
  ids: "sysmapids",
  fields: {
    sysmapid: { type: "id", readOnly: true },
    name: { type: "text", max: 128, required: true },
    width: { type: "int", min: 1, max: 65535, required: true },
    height: { type: "int", min: 1, max: 65535, required: true },
    backgroundid: { type: "id", default: "0", refers: "image" },
    background_scale: { type: "code", codes: ["0", "1"], default: "0" },
    label_type: { type: "code", codes: ["0", "1", "2", "3", "4"], default: "2" },
    label_location: { type: "code", codes: ["0", "1", "2", "3"], default: "0" },
    show_element_label: { type: "code", codes: ["0", "1"], default: "1" },
    show_link_label: { type: "code", codes: ["0", "1"], default: "1" },
    highlight: { type: "code", codes: ["0", "1"], default: "1" },
    expandproblem: { type: "code", codes: ["0", "1", "2"], default: "1" },
    markelements: { type: "code", codes: ["0", "1"], default: "0" },
    show_unack: { type: "code", codes: ["0", "1", "2"], default: "0" },
    grid_size: { type: "code", codes: ["20", "40", "50", "75", "100"], default: "50" },
    grid_show: { type: "code", codes: ["0", "1"], default: "1" },
    grid_align: { type: "code", codes: ["0", "1"], default: "1" },
    label_format: { type: "code", codes: ["0", "1"], default: "0" },
    label_type_host: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], default: "2" },
    label_type_hostgroup: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], default: "2" },
    label_type_trigger: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], default: "2" },
    label_type_map: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], default: "2" },
    label_type_image: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], default: "2" },
    label_string_host: { type: "text", max: 255 },
    label_string_hostgroup: { type: "text", max: 255 },
    label_string_trigger: { type: "text", max: 255 },
    label_string_map: { type: "text", max: 255 },
    label_string_image: { type: "text", max: 255 },
    iconmapid: { type: "id", default: "0", refers: "iconmap" },
    expand_macros: { type: "code", codes: ["0", "1"], default: "0" },
    severity_min: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], default: "0" },
    userid: { type: "id" },
    private: { type: "code", codes: ["0", "1"], default: "1" },
    show_suppressed: { type: "code", codes: ["0", "1"], default: "0" },
    selements: {
      type: "list",
      fields: {
        selementid: { type: "id" },
        elementtype: { type: "code", codes: ["0", "1", "2", "3", "4"], default: "0" },
        elements: {
          type: "list",
          fields: {
            hostid: { type: "id" },
            sysmapid: { type: "id" },
            triggerid: { type: "id" },
            groupid: { type: "id" },
          },
        },
        iconid_off: { type: "id", required: true, refers: "image" },
        iconid_on: { type: "id", default: "0", refers: "image" },
        iconid_disabled: { type: "id", default: "0", refers: "image" },
        iconid_maintenance: { type: "id", default: "0", refers: "image" },
        label: { type: "text", max: 2048 },
        label_location: { type: "code", codes: ["-1", "0", "1", "2", "3"], default: "-1" },
        show_label: { type: "code", codes: ["-1", "0", "1"], default: "-1" },
        x: { type: "int", min: 0, max: 65535, default: "0" },
        y: { type: "int", min: 0, max: 65535, default: "0" },
        elementsubtype: { type: "code", codes: ["0", "1"], default: "0" },
        areatype: { type: "code", codes: ["0", "1"], default: "0" },
        width: { type: "int", min: 1, max: 65535, default: "200" },
        height: { type: "int", min: 1, max: 65535, default: "200" },
        viewtype: { type: "code", codes: ["0"], default: "0" },
        use_iconmap: { type: "code", codes: ["0", "1"], default: "1" },
        evaltype: { type: "code", codes: ["0", "2"], default: "0" },
        tags: {
          type: "list",
          fields: {
            tag: { type: "text", max: 255, required: true },
            value: { type: "text", max: 255 },
            operator: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], default: "0" },
          },
        },
        urls: {
          type: "list",
          fields: {
            sysmapelementurlid: { type: "id" },
            name: { type: "text", max: 255, required: true },
            url: { type: "text", max: 2048, required: true },
          },
        },
        zindex: { type: "int", min: -2147483648, max: 2147483647, default: "0" },
        permission: { type: "int", min: -1, max: 3 },
      },
      notAnswered: true,
    },
    links: {
      type: "list",
      fields: {
        linkid: { type: "id" },
        selementid1: { type: "id", required: true },
        selementid2: { type: "id", required: true },
        color: { type: "text", max: 6, default: "000000" },
        drawtype: { type: "code", codes: ["0", "2", "3", "4"], default: "0" },
        label: { type: "text", max: 2048 },
        show_label: { type: "code", codes: ["-1", "0", "1"], default: "-1" },
        indicator_type: { type: "code", codes: ["0", "1", "2"], default: "0" },
        linktriggers: {
          type: "list",
          fields: {
            linktriggerid: { type: "id" },
            triggerid: { type: "id", required: true },
            color: { type: "text", max: 6, default: "DD0000" },
            drawtype: { type: "code", codes: ["0", "2", "3", "4"], default: "0" },
          },
        },
        itemid: { type: "id", default: "0" },
        thresholds: {
          type: "list",
          fields: {
            threshold: { type: "text", max: 255, required: true },
            color: { type: "text", max: 6, default: "DD0000" },
            drawtype: { type: "code", codes: ["0", "2", "3", "4"], default: "0" },
          },
        },
        highlights: {
          type: "list",
          fields: {
            pattern: { type: "text", max: 255, required: true },
            color: { type: "text", max: 6, default: "DD0000" },
            drawtype: { type: "code", codes: ["0", "2", "3", "4"], default: "0" },
          },
        },
        permission: { type: "int", min: -1, max: 3 },
      },
      notAnswered: true,
    },
    shapes: {
      type: "list",
      fields: {
        sysmap_shapeid: { type: "id" },
        type: { type: "code", codes: ["0", "1"], default: "0" },
        x: { type: "int", min: 0, max: 65535, default: "0" },
        y: { type: "int", min: 0, max: 65535, default: "0" },
        width: { type: "int", min: 1, max: 65535, default: "200" },
        height: { type: "int", min: 1, max: 65535, default: "200" },
        text: { type: "text", max: 65535 },
        font: { type: "int", min: 0, max: 12, default: "9" },
        font_size: { type: "int", min: 1, max: 250, default: "11" },
        font_color: { type: "text", max: 6, default: "000000" },
        text_halign: { type: "code", codes: ["0", "1", "2"], default: "0" },
        text_valign: { type: "code", codes: ["0", "1", "2"], default: "0" },
        border_type: { type: "code", codes: ["0", "1", "2", "3"], default: "0" },
        border_width: { type: "int", min: 0, max: 50, default: "0" },
        border_color: { type: "text", max: 6, default: "000000" },
        background_color: { type: "text", max: 6 },
        zindex: { type: "int", min: -2147483648, max: 2147483647, default: "0" },
      },
      notAnswered: true,
    },
    lines: {
      type: "list",
      fields: {
        sysmap_shapeid: { type: "id" },
        x1: { type: "int", min: 0, max: 65535, default: "0" },
        y1: { type: "int", min: 0, max: 65535, default: "0" },
        x2: { type: "int", min: 0, max: 65535, default: "200" },
        y2: { type: "int", min: 0, max: 65535, default: "200" },
        line_type: { type: "code", codes: ["0", "1", "2", "3"], default: "0" },
        line_width: { type: "int", min: 0, max: 50, default: "0" },
        line_color: { type: "text", max: 6, default: "000000" },
        zindex: { type: "int", min: -2147483648, max: 2147483647, default: "0" },
      },
      notAnswered: true,
    },
    urls: {
      type: "list",
      fields: {
        sysmapurlid: { type: "id" },
        name: { type: "text", max: 255, required: true },
        url: { type: "text", max: 2048, required: true },
        elementtype: { type: "code", codes: ["0", "1", "2", "3", "4"], default: "0" },
      },
      notAnswered: true,
    },
    users: {
      type: "list",
      fields: {
        userid: { type: "id", required: true },
        permission: { type: "code", codes: ["2", "3"], required: true },
      },
      notAnswered: true,
    },
    userGroups: {
      type: "list",
      fields: {
        usrgrpid: { type: "id", required: true },
        permission: { type: "code", codes: ["2", "3"], required: true },
      },
      notAnswered: true,
    },
  },
  selects: {
    selements: { param: "selectSelements" },
    links: { param: "selectLinks" },
    shapes: { param: "selectShapes" },
    lines: { param: "selectLines" },
    urls: { param: "selectUrls" },
    users: { param: "selectUsers" },
    userGroups: { param: "selectUserGroups" },
    iconmap: { param: "selectIconMap", object: "iconmap" },
  },
} as const;
