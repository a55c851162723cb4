import { describe, expect, it } from "vitest";
import { diffLines } from "./diff";

const short = (before: string, after: string) =>
  diffLines(before, after).map(
    ({ kind, text }) => `${{ same: " ", gone: "-", new: "+" }[kind]}${text}`,
  );

describe("a difference of texts", () => {
  it("is shown line by line", () => {
    expect(short("a\nb\nc", "a\nx\nc\nd")).toEqual([" a", "-b", "+x", " c", "+d"]);
    expect(short("", "a")).toEqual(["+a"]);
    expect(short("a", "")).toEqual(["-a"]);
    expect(short("same", "same")).toEqual([" same"]);
    expect(short("a\nb\nc\nd", "b\nd")).toEqual(["-a", " b", "-c", " d"]);
  });
});
