import { describe, expect, it } from "vitest";
import { newMacro } from "@/widgets/macro-editor";
import { NO_TEMPLATE_MASS, type TemplateMassFields, templateMassCalls } from "./template-mass";

const TEMPLATES = [{ templateid: "1" }, { templateid: "2" }];
const calls = (change: Partial<TemplateMassFields>, ...parts: string[]) =>
  templateMassCalls(["1", "2"], { ...NO_TEMPLATE_MASS, ...change }, new Set(parts));

describe("one change of many templates", () => {
  it("sends only what was ticked", () => {
    const change = { description: "old", groupids: ["4"] };
    expect(calls(change)).toEqual([]);
    expect(calls(change, "description", "groups")).toEqual([
      { method: "template.update", params: TEMPLATES.map((it) => ({ ...it, description: "old" })) },
      { method: "template.massadd", params: { templates: TEMPLATES, groups: [{ groupid: "4" }] } },
    ]);
  });

  it.each([
    ["link", "template.massadd", { templates: TEMPLATES, templates_link: [{ templateid: "7" }] }],
    [
      "replace",
      "template.massupdate",
      { templates: TEMPLATES, templates_link: [{ templateid: "7" }] },
    ],
    ["unlink", "template.massremove", { templateids: ["1", "2"], templateids_link: ["7"] }],
    ["clear", "template.massremove", { templateids: ["1", "2"], templateids_clear: ["7"] }],
  ] as const)("links: %s", (templatesHow, method, params) => {
    expect(calls({ templatesHow, templateids: ["7"] }, "templates")).toEqual([{ method, params }]);
  });

  it("adds, replaces and removes macros", () => {
    const macros = [newMacro("{$A}", "1")];
    expect(calls({ macrosHow: "remove", macros }, "macros")).toEqual([
      { method: "template.massremove", params: { templateids: ["1", "2"], macros: ["{$A}"] } },
    ]);
    expect(calls({ macrosHow: "replace", macros }, "macros")[0]?.method).toBe(
      "template.massupdate",
    );
  });
});
