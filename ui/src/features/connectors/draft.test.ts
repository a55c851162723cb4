import { describe, expect, it } from "vitest";
import type { Connector } from "@/api/connectors";
import {
  checkInterval,
  checkTimeout,
  checkUrl,
  draftOf,
  fieldsOf,
  isComplete,
  takesUser,
} from "./draft";

const CONNECTOR: Connector = {
  ...draftOf(fieldsOf(undefined)),
  connectorid: "7",
  name: "Lake",
  url: "https://lake.example.com/",
  status: "0",
  verify_peer: "1",
  verify_host: "0",
  tags: [
    { tag: "scope", operator: "2", value: "cpu" },
    { tag: "scope", operator: "12", value: "" },
  ],
};

describe("a connector's form", () => {
  it("sends what it was given", () => {
    const { connectorid: _, ...same } = CONNECTOR;
    expect(draftOf(fieldsOf(CONNECTOR))).toEqual(same);
  });

  it("drops conditions without a tag and values that have no use", () => {
    const fields = fieldsOf(CONNECTOR);
    const [first, second] = fields.tags;
    if (first === undefined || second === undefined) throw new Error("two conditions");
    const tags = [
      { ...first, tag: "  " },
      { ...second, tag: " a ", value: "left over" },
    ];
    expect(draftOf({ ...fields, tags }).tags).toEqual([{ tag: "a", operator: "12", value: "" }]);
  });

  it("sends what does not go with what is chosen as it is made", () => {
    const left = { username: "u", password: "p", token: "t", item_value_type: "1" };
    const fields = { ...fieldsOf(CONNECTOR), ...left, attempt_interval: "7s" };
    const events = draftOf({ ...fields, authtype: "0", data_type: "1", max_attempts: "1" });
    const made = { username: "", password: "", token: "", item_value_type: "31" };
    expect(events).toMatchObject({ ...made, attempt_interval: "5s" });
    const values = draftOf({ ...fields, authtype: "1", data_type: "0", max_attempts: "2" });
    expect(values).toMatchObject({ ...left, token: "", attempt_interval: "7s" });
  });

  it("is complete with a name and a URL", () => {
    const fresh = fieldsOf(undefined);
    expect(isComplete(fresh)).toBe(false);
    const named = { ...fresh, name: "a", url: "http://b/" };
    expect(isComplete(named)).toBe(true);
    expect(isComplete({ ...named, authtype: "5" })).toBe(false);
    expect(isComplete({ ...named, item_value_type: "0" })).toBe(false);
    expect(isComplete({ ...named, item_value_type: "0", data_type: "1" })).toBe(true);
    expect(isComplete({ ...named, attempt_interval: "x" })).toBe(true);
    expect(isComplete({ ...named, attempt_interval: "x", max_attempts: "2" })).toBe(false);
  });

  it("asks for a user where one is shown to the receiver", () => {
    const kinds = ["0", "1", "2", "3", "4", "5"];
    expect(kinds.filter(takesUser)).toEqual(["1", "2", "4"]);
    const files = { ssl_cert_file: " a.pem ", ssl_key_file: " a.key", ssl_key_password: " p " };
    const draft = draftOf({ ...fieldsOf(CONNECTOR), authtype: "4", ...files });
    expect([draft.authtype, draft.ssl_cert_file, draft.ssl_key_file]).toEqual([
      "4",
      "a.pem",
      "a.key",
    ]);
    expect(draft.ssl_key_password).toBe(" p ");
  });

  it("knows times and addresses", () => {
    expect(["0s", "10", "10s"].map((it) => checkInterval(it).ok)).toEqual([true, true, true]);
    expect(["11s", "1m", "", "-1"].some((it) => checkInterval(it).ok)).toBe(false);
    expect(["1m", "60", "{$T}"].map((it) => checkTimeout(it).ok)).toEqual([true, true, true]);
    expect(["0s", "61s"].some((it) => checkTimeout(it).ok)).toBe(false);
    expect(["{$URL}/a", "HTTPS://a"].map((it) => checkUrl(it).ok)).toEqual([true, true]);
    expect(["ftp://a", "http://", " "].some((it) => checkUrl(it).ok)).toBe(false);
  });
});
