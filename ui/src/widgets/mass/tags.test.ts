import { describe, expect, it } from "vitest";
import { changedTags } from "./tags";

const FRA = { tag: "site", value: "fra" };
const BER = { tag: "site", value: "ber" };
const WEB = { tag: "role", value: "web" };

describe("tags of many objects", () => {
  it("are added without being doubled, replaced, or removed by value or whatever the value", () => {
    expect(changedTags([FRA], "add", [FRA, WEB])).toEqual([FRA, WEB]);
    expect(changedTags([FRA], "replace", [WEB])).toEqual([WEB]);
    expect(changedTags([FRA, BER, WEB], "remove", [BER])).toEqual([FRA, WEB]);
    expect(changedTags([FRA, BER, WEB], "remove", [{ tag: "site", value: "" }])).toEqual([WEB]);
  });
});
