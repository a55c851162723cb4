import { describe, expect, it } from "vitest";
import { safeUrl } from "./address";

describe("the address of a frame", () => {
  it("is that of a web page", () => {
    const at = (text: string) => safeUrl(text, "https://saker.example");
    expect(at("https://wiki.example/7")).toBe("https://wiki.example/7");
    expect(at("/docs")).toBe("https://saker.example/docs");
    expect(at("javascript:alert(1)")).toBeUndefined();
    expect(at("data:text/html,x")).toBeUndefined();
    expect(at(" ")).toBeUndefined();
    expect(at("http://[")).toBeUndefined();
  });
});
