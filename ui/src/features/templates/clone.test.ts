import { describe, expect, it } from "vitest";
import { clonedDocument } from "./clone";

const GROUP = "a".repeat(32);
const OLD = "b".repeat(32);

const EXPORTED = {
  zabbix_export: {
    version: "7.0",
    template_groups: [{ uuid: GROUP, name: "Templates" }],
    templates: [
      {
        uuid: OLD,
        template: "Linux (1.0)",
        name: "Linux",
        groups: [{ name: "Templates" }],
        templates: [{ name: "Base" }],
        items: [
          {
            uuid: OLD,
            name: "Ratio",
            type: "CALCULATED",
            params: "last(/Linux (1.0)/a)/last(//b)",
            triggers: [{ uuid: OLD, expression: "min( /Linux (1.0)/a,5m)>1/Linux (1.0)/2" }],
          },
        ],
        dashboards: [
          { pages: [{ widgets: [{ fields: [{ value: { host: "Linux (1.0)", key: "a" } }] }] }] },
        ],
      },
    ],
    triggers: [{ uuid: OLD, expression: "last(/Linux (1.0)/a)>last(/Other/a)" }],
    graphs: [{ uuid: OLD, graph_items: [{ item: { host: "Linux (1.0)", key: "a" } }] }],
  },
};

describe("a whole copy of a template", () => {
  const text = clonedDocument(JSON.stringify(EXPORTED), {
    from: "Linux (1.0)",
    to: "Linux $& 2",
    name: "Linux two",
  });
  const { zabbix_export: made } = JSON.parse(text) as typeof EXPORTED;

  it("has its own names, and refers to itself", () => {
    const [template] = made.templates;
    expect(template).toMatchObject({
      template: "Linux $& 2",
      name: "Linux two",
      templates: [{ name: "Base" }],
      groups: [{ name: "Templates" }],
    });
    expect(template?.items[0]?.params).toBe("last(/Linux $& 2/a)/last(//b)");
    // a division is none of its references
    expect(template?.items[0]?.triggers[0]?.expression).toBe(
      "min( /Linux $& 2/a,5m)>1/Linux (1.0)/2",
    );
    expect(template?.dashboards[0]?.pages[0]?.widgets[0]?.fields[0]?.value.host).toBe("Linux $& 2");
    expect(made.triggers[0]?.expression).toBe("last(/Linux $& 2/a)>last(/Other/a)");
    expect(made.graphs[0]?.graph_items[0]?.item.host).toBe("Linux $& 2");
  });

  it("has uuids of its own, but those of its groups", () => {
    expect(made.template_groups[0]?.uuid).toBe(GROUP);
    expect(text).not.toContain(OLD);
    const uuids = [made.templates[0]?.uuid, made.triggers[0]?.uuid, made.graphs[0]?.uuid];
    expect(new Set(uuids).size).toBe(3);
    for (const uuid of uuids) expect(uuid).toMatch(/^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  });
});
