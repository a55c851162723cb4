import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { newFields } from "@/api/described";
import { DISCOVERY_RULE } from "@/api/generated/discovery-rule";
import type { DiscoveryRule } from "@/api/types";
import { TestRouter } from "@/ui/test-router";
import { theme } from "@/ui/theme";
import { RuleForm } from "./rule-form";

const OWNER = { kind: "template", id: "7" } as const;

let posted: { readonly method: string; readonly params: unknown }[] = [];

beforeEach(() => {
  posted = [];
  vi.stubGlobal("fetch", async (_path: string, init: RequestInit) => {
    const { method, params, id } = JSON.parse(String(init.body));
    const owner = {
      templateid: OWNER.id,
      host: "Linux",
      name: "Linux",
      description: "",
      vendor_name: "",
      vendor_version: "",
      templategroups: [],
      parentTemplates: [],
      tags: [],
      macros: [],
      hosts: "0",
      items: "0",
      triggers: "0",
      discoveries: "0",
    };
    const isRead = method.endsWith(".get");
    if (!isRead) posted.push({ method, params });
    return Response.json({ jsonrpc: "2.0", id, result: isRead ? [owner] : { itemids: ["9"] } });
  });
});

afterEach(() => vi.unstubAllGlobals());

const EMPTY: DiscoveryRule = {
  ...newFields(DISCOVERY_RULE.fields),
  itemid: "",
  templateid: "0",
  state: "0",
  error: "",
  flags: "1",
  ruleid: "0",
  discover: "0",
  items: "0",
  triggers: "0",
  query_fields: [],
  headers: [],
  parameters: [],
  preprocessing: [],
  lld_macro_paths: [],
  overrides: [],
  filter: undefined,
  discoveryData: undefined,
};

function show(rule?: Partial<DiscoveryRule>) {
  const given = rule === undefined ? undefined : { ...EMPTY, ...rule };
  render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={new QueryClient()}>
        <TestRouter>
          <RuleForm owner={OWNER} rule={given} onDone={() => {}} />
        </TestRouter>
      </QueryClientProvider>
    </MantineProvider>,
  );
  return userEvent.setup();
}

/** All at once: each key would render the whole form again. */
function write(field: HTMLElement, text: string): void {
  fireEvent.change(field, { target: { value: text } });
}

/** By its text: roles are worked out of the styles of all that there is. */
async function press(user: ReturnType<typeof userEvent.setup>, name: string): Promise<void> {
  const button = screen.getByText(name).closest("button");
  if (button === null) throw new Error(`${name} is no button`);
  await user.click(button);
}

async function choose(user: ReturnType<typeof userEvent.setup>, box: string, option: string) {
  await user.click(screen.getByLabelText(box, { selector: "input" }));
  await user.click(await screen.findByRole("option", { name: option, hidden: true }));
}

it("makes a rule that asks by HTTP", async () => {
  const user = show();
  write(await screen.findByLabelText(/^Name/), "Disks");
  write(screen.getByLabelText(/^Key/), "disks");
  await choose(user, "Type", "HTTP agent");
  await press(user, "Create");
  // without a URL there is nothing to ask
  expect(posted).toEqual([]);
  write(screen.getByLabelText(/^URL/), "http://localhost/disks");
  write(screen.getByLabelText("Timeout"), "5s");
  await choose(user, "Request method", "POST");
  write(screen.getByLabelText("Body"), "all=1");
  await press(user, "Create");
  await waitFor(() => expect(posted).toHaveLength(1));
  expect(posted[0]).toMatchObject({
    method: "discoveryrule.create",
    params: {
      type: 19,
      url: "http://localhost/disks",
      timeout: "5s",
      request_method: "1",
      posts: "all=1",
      allow_traps: "0",
    },
  });
});

it("keeps what a rule with a script has", async () => {
  const user = show({
    itemid: "5",
    name: "Disks",
    key_: "disks",
    type: "21",
    delay: "1h",
    params: "return '[]'",
    timeout: "3s",
    parameters: [{ name: "url", value: "http://a" }],
  });
  const script = await screen.findByLabelText(/^Script/, { selector: "textarea" });
  write(script, "return value");
  await press(user, "Save");
  await waitFor(() => expect(posted).toHaveLength(1));
  // what is not sent stays as it is
  expect(posted[0]).toMatchObject({ method: "discoveryrule.update" });
  expect(posted[0]?.params).toEqual({ itemid: "5", params: "return value" });
});
