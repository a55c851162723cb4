import { describe, expect, it } from "vitest";
import { draftOf, fieldsOf, newFilter, newRight } from "./draft";

describe("a user group", () => {
  it("is sent as it came", () => {
    const group = {
      usrgrpid: "9",
      name: "Network",
      gui_access: "3",
      users_status: "1",
      users: [{ userid: "4", username: "ann" }],
      hostgroup_rights: [{ id: "2", permission: "3" }],
      templategroup_rights: [],
      tag_filters: [{ groupid: "2", tag: "scope", value: "" }],
    };
    expect(draftOf(fieldsOf(group))).toEqual({
      name: "Network",
      gui_access: "3",
      users_status: "1",
      users: [{ userid: "4" }],
      hostgroup_rights: [{ id: "2", permission: "3" }],
      templategroup_rights: [],
      tag_filters: [{ groupid: "2", tag: "scope", value: "" }],
    });
  });

  it("has no rights on groups that were not chosen", () => {
    const fields = {
      ...fieldsOf(undefined),
      name: " x ",
      hostRights: [newRight()],
      tagFilters: [newFilter()],
    };
    expect(draftOf(fields)).toMatchObject({ name: "x", hostgroup_rights: [], tag_filters: [] });
  });
});
