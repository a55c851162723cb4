import { describe, expect, it } from "vitest";
import { checkUntil, draftOf, fieldsOf, localTime } from "./draft";

const TOKEN = {
  tokenid: "3",
  name: "grafana",
  description: "",
  userid: "7",
  status: "1",
  expires_at: "1798761540",
  lastaccess: "0",
  created_at: "1790000000",
  creator_userid: "1",
} as const;

describe("a token", () => {
  it("keeps its end, in the reader's time zone", () => {
    const fields = fieldsOf(TOKEN, "1");
    expect(fields.until).toBe(localTime(1_798_761_540));
    expect(draftOf(fields)).toMatchObject({ expires_at: "1798761540", status: "1", userid: "7" });
  });

  it("ends never, or at a time", () => {
    const fields = fieldsOf(undefined, "1");
    expect(draftOf(fields)).toMatchObject({ expires_at: "0", status: "0", userid: "1" });
    expect(checkUntil(fields).ok).toBe(true);
    expect(checkUntil({ ...fields, expires: true }).ok).toBe(false);
    expect(checkUntil({ ...fields, expires: true, until: "2026-12-31T23:59" }).ok).toBe(true);
  });
});
