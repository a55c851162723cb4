import { expect, it } from "vitest";
import { triggerUrl } from "./trigger-url";

const PROBLEM = { eventid: "9", objectid: "7", hostid: "5", host: "web 1" };

it("leads where the trigger says, with what is known of the problem", () => {
  const at = (url: string) => triggerUrl(url, PROBLEM);
  expect(at(" https://wiki/x ")).toBe("https://wiki/x");
  expect(at("https://wiki/?e={EVENT.ID}&t={TRIGGER.ID}&h={HOST.ID1}&n={HOST.NAME}")).toBe(
    "https://wiki/?e=9&t=7&h=5&n=web%201",
  );
  expect(at("https://{$WIKI}/x")).toBeUndefined();
  expect(at("javascript:alert(1)")).toBeUndefined();
  expect(at("")).toBeUndefined();
});
