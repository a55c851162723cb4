// Maps of the pictures' world: a data center with a map below it.

import type { Journey } from "../journeys/journey";

type Create = (method: string, params: unknown) => Promise<readonly string[]>;

/** The id of the data center. */
export async function makeMaps(
  create: Create,
  call: Journey["call"],
  hostid: (host: string) => string,
  groupid: string,
): Promise<string> {
  const icon = async (name: string) => {
    const [found] = await call<{ imageid: string }[]>("image.get", { filter: { name } });
    return found?.imageid;
  };
  const names = ["Router_(96)", "Switch_(96)", "Server_(96)", "Disk_array_3D_(96)", "Cloud_(128)"];
  const [, core, server, disks, cloud] = await Promise.all(names.map(icon));
  const [storage = ""] = await create("map", {
    name: "Site Frankfurt",
    width: 900,
    height: 500,
    selements: [
      {
        selementid: "1",
        elementtype: 3,
        elements: [{ groupid }],
        iconid_off: server,
        elementsubtype: 1,
        label: "{HOST.NAME}",
      },
    ],
  });
  const host = (id: string, name: string, iconid: string | undefined, x: number, y: number) => ({
    selementid: id,
    elementtype: 0,
    elements: [{ hostid: hostid(name) }],
    iconid_off: iconid,
    label: "{HOST.NAME}",
    x,
    y,
  });
  const link = (from: string, to: string, of: string, port: string) => ({
    selementid1: from,
    selementid2: to,
    color: "2F9E44",
    label: `{?last(/${of}/net.if.in[${port}])}`,
  });
  const [center = ""] = await create("map", {
    name: "Data center",
    width: 1000,
    height: 620,
    label_type: 0,
    markelements: 1,
    selements: [
      { selementid: "1", elementtype: 4, iconid_off: cloud, label: "Internet", x: 60, y: 60 },
      host("2", "switch-1.fra", core, 320, 80),
      host("3", "switch-1.rig", core, 560, 80),
      host("4", "web-1.fra", server, 360, 380),
      host("5", "db-1.fra", disks, 520, 380),
      host("7", "web-2.fra", server, 660, 380),
      {
        selementid: "6",
        elementtype: 1,
        elements: [{ sysmapid: storage }],
        iconid_off: cloud,
        label: "{MAP.NAME}",
        x: 800,
        y: 70,
      },
    ],
    links: [
      link("1", "2", "switch-1.fra", "ge-0/0/1"),
      link("2", "3", "switch-1.fra", "ge-0/0/1"),
      link("2", "4", "web-1.fra", "eth0"),
      link("2", "5", "db-1.fra", "eth0"),
      link("2", "7", "web-2.fra", "eth0"),
    ],
    shapes: [
      {
        type: 0,
        x: 320,
        y: 330,
        width: 480,
        height: 230,
        text: "Rack 1",
        text_halign: 1,
        text_valign: 1,
        border_type: 3,
        border_width: 2,
        border_color: "868E96",
        background_color: "",
      },
    ],
  });
  return center;
}
