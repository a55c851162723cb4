// Users, their media, and the actions that notify them.

import { DAY_S } from "./hosts";

type Create = (method: string, params: unknown) => Promise<readonly string[]>;

const USER_ROLE = "1";

export async function makePeople(create: Create, groupids: readonly string[]): Promise<void> {
  const template = (eventsource: number, recovery: number, subject: string) => ({
    eventsource,
    recovery,
    subject,
    message: "{EVENT.NAME} on {HOST.NAME}\nSeverity: {EVENT.SEVERITY}\n{EVENT.OPDATA}",
  });
  // scripts of the server itself: nothing leaves it, and one of them always fails
  const [chat = "", pager = ""] = await create("mediatype", [
    {
      name: "Team chat",
      type: 4,
      script: "return 'OK';",
      parameters: [{ name: "to", value: "{ALERT.SENDTO}" }],
      message_templates: [
        template(0, 0, "{EVENT.NAME}"),
        template(0, 1, "Over: {EVENT.NAME}"),
        template(0, 2, "{USER.FULLNAME}: {EVENT.NAME}"),
      ],
    },
    {
      name: "Pager",
      type: 4,
      maxattempts: 1,
      script: "throw 'the gateway answered 503 Service Unavailable';",
      parameters: [{ name: "to", value: "{ALERT.SENDTO}" }],
      message_templates: [template(0, 0, "{EVENT.NAME}")],
    },
  ]);
  const [operators = "", readers = ""] = await create("usergroup", [
    {
      name: "Operators",
      users: [{ userid: "1" }],
      hostgroup_rights: groupids.map((id) => ({ id, permission: 3 })),
    },
    {
      name: "Readers of the reports",
      hostgroup_rights: groupids.map((id) => ({ id, permission: 2 })),
    },
  ]);
  const user = (name: string, surname: string, media: string, group: string) => ({
    username: name.toLowerCase(),
    name,
    surname,
    passwd: "a long word for pictures",
    roleid: USER_ROLE,
    usrgrps: [{ usrgrpid: group }],
    medias: [{ mediatypeid: media, sendto: [`${name.toLowerCase()}@example.com`] }],
  });
  const [ada = "", bob = "", cy = ""] = await create("user", [
    user("Ada", "Lovelace", chat, operators),
    user("Bob", "Kahn", chat, operators),
    user("Cy", "Young", pager, operators),
    user("Anastasija-Margarita", "Grīnberga-Vanderbilt", chat, readers),
  ]);
  await create("role", {
    name: "Reads reports",
    type: 1,
    rules: { "api.access": 0 },
  });
  const begin = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S - 21 * DAY_S + 9 * 3600;
  await create("oncall", [
    {
      name: "Operations",
      timezone: "Europe/Riga",
      rotations: [
        {
          name: "Weeks",
          start: begin,
          users: [{ userid: ada }, { userid: bob }, { userid: cy }],
        },
      ],
    },
    {
      name: "Databases",
      timezone: "UTC",
      rotations: [{ name: "Always", start: begin, users: [{ userid: bob }, { userid: ada }] }],
    },
  ]);
  await create("action", [
    {
      name: "Notify the operators",
      eventsource: 0,
      esc_period: "30m",
      filter: {
        evaltype: 0,
        conditions: [{ conditiontype: 4, operator: 5, value: "3" }],
      },
      operations: [
        {
          operationtype: 0,
          esc_step_from: 1,
          esc_step_to: 3,
          opmessage: { default_msg: 1 },
          opmessage_grp: [{ usrgrpid: operators }],
        },
      ],
      recovery_operations: [{ operationtype: 11, opmessage: { default_msg: 1 } }],
      update_operations: [{ operationtype: 12, opmessage: { default_msg: 1 } }],
    },
    {
      name: "Machines that were found become hosts",
      eventsource: 1,
      status: 1,
      filter: { evaltype: 0, conditions: [{ conditiontype: 10, operator: 0, value: "2" }] },
      operations: [{ operationtype: 2 }],
    },
  ]);
  await create("token", [
    { name: "Grafana", userid: ada, expires_at: 0 },
    { name: "Inventory of the network", userid: "1", expires_at: begin + 60 * DAY_S },
    { name: "Old script", userid: "1", expires_at: begin },
  ]);
  await create("script", [
    {
      name: "Trace the route",
      menu_path: "Network",
      type: 5,
      scope: 2,
      command:
        "return 'Route to ' + JSON.parse(value).host + ':\\n 1  gate  0.4 ms\\n 2  core  0.9 ms';",
      parameters: [{ name: "host", value: "{HOST.HOST}" }],
    },
    {
      name: "Restart the web server",
      type: 0,
      scope: 2,
      execute_on: 1,
      command: "true",
      confirmation: "Restart the web server of {HOST.NAME}?",
    },
    {
      name: "Open the wiki page",
      type: 6,
      scope: 4,
      url: "https://wiki.example.com/{HOST.HOST}",
      new_window: 1,
    },
  ]);
}
