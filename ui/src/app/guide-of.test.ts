import { describe, expect, it } from "vitest";
import { GUIDE } from "@/features/docs/guide";
import { guideOf } from "./guide-of";
import { SECTIONS } from "./pages";

describe("guideOf", () => {
  it("leads from every page of the navigation to a page of the guide that is there", () => {
    const known = new Set(GUIDE.map(({ name }) => name));
    for (const { to } of SECTIONS.flatMap(({ pages }) => pages)) {
      const page = guideOf(to);
      if (to === "/about") expect(page).toBeUndefined();
      else expect(known, to).toContain(page);
    }
  });

  it("knows parts of hosts", () => {
    expect(guideOf("/hosts/10084/triggers/new")).toBe("expressions");
    expect(guideOf("/hosts/10084")).toBe("hosts");
    expect(guideOf("/nowhere")).toBeUndefined();
  });
});
