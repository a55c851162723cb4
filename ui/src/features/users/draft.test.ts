import { describe, expect, it } from "vitest";
import { zoneOptions } from "@/lib/zone-options";
import { draftOf, fieldsOf, isComplete } from "./draft";

const USER = {
  userid: "7",
  username: "ann",
  name: "Ann",
  surname: "",
  roleid: "3",
  autologin: "0",
  autologout: "0",
  lang: "default",
  theme: "default",
  timezone: "Europe/Riga",
  url: "",
  refresh: "30s",
  rows_per_page: "50",
  usrgrps: [{ usrgrpid: "9" }],
  medias: [
    {
      mediatypeid: "1",
      sendto: "a@example.org\nb@example.org",
      active: "0",
      severity: "63",
      period: "1-7,00:00-24:00",
      quiet_period: "",
      quiet_severity: "4",
    },
  ],
} as const;

describe("a user", () => {
  it("is sent as it came, without a password", () => {
    const draft = draftOf(fieldsOf(USER));
    expect(draft).toMatchObject({ username: "ann", usrgrps: [{ usrgrpid: "9" }], autologout: "0" });
    expect(draft.medias?.[0]?.sendto).toEqual(["a@example.org", "b@example.org"]);
    expect(draft.medias?.[0]).not.toHaveProperty("key");
    expect(draft).not.toHaveProperty("passwd");
    expect(draftOf(fieldsOf(USER), { mayEditMedia: false })).not.toHaveProperty("medias");
  });

  it("that is new needs a name, a role and the same password twice", () => {
    const fields = { ...fieldsOf(undefined), username: "bob", roleid: "1" };
    expect(isComplete(fields, true)).toBe(false);
    expect(isComplete({ ...fields, password: "x" }, true)).toBe(false);
    expect(isComplete({ ...fields, password: "x", again: "x" }, true)).toBe(true);
    expect(isComplete(fields, false)).toBe(true);
    expect(isComplete({ ...fields, roleid: "" }, false)).toBe(false);
  });

  it("sends the current password with a new one only", () => {
    const fields = { ...fieldsOf(USER), current: "old" };
    expect(draftOf(fields)).not.toHaveProperty("current_passwd");
    expect(draftOf({ ...fields, password: "new" })).toMatchObject({
      passwd: "new",
      current_passwd: "old",
    });
  });

  it("may live in any time zone", () => {
    const zones = zoneOptions("Browser time").map(({ value }) => value);
    expect(zones[0]).toBe("default");
    expect(zones).toContain("Asia/Tokyo");
  });
});
