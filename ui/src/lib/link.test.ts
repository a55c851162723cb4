import { describe, expect, it } from "vitest";
import { frameUrl, safeUrl } from "./link";

const BASE = "https://saker.example/problems";

describe("a link", () => {
  it.each([
    "https://wiki.example/7",
    "/hosts/10084",
    "tr_events.php?eventid=7",
    "mailto:ada@example.com",
    "tel:+49",
    "ssh://host",
  ])("leads to %s", (url) => {
    expect(safeUrl(url, BASE)).toBe(url);
  });

  it.each([
    "javascript:alert(1)",
    " javascript:alert(1)",
    "\tjavascript:alert(1)",
    "java\tscript:alert(1)",
    "\u0001javascript:alert(1)",
    "JAVASCRIPT:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "http://[",
    " ",
    "",
  ])("does not lead to %j", (url) => {
    expect(safeUrl(url, BASE)).toBeUndefined();
  });
});

describe("the address of a frame", () => {
  it("is that of a web page", () => {
    const at = (text: string) => frameUrl(text, "https://saker.example");
    expect(at("https://wiki.example/7")).toBe("https://wiki.example/7");
    expect(at("/docs")).toBe("https://saker.example/docs");
    expect(at("mailto:ada@example.com")).toBeUndefined();
    expect(at("javascript:alert(1)")).toBeUndefined();
    expect(at("data:text/html,x")).toBeUndefined();
    expect(at(" ")).toBeUndefined();
    expect(at("http://[")).toBeUndefined();
  });
});
