import { expect, it } from "vitest";
import { aboveForm } from "./owner-pages";

it("a form goes back to the list or object that its address is below", () => {
  expect(aboveForm("items/$itemid")).toBe("items");
  expect(aboveForm("graphs/list/$graphid")).toBe("graphs/list");
  expect(aboveForm("discovery/$ruleid/prototypes/$itemid")).toBe("discovery/$ruleid");
});
