import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { changedPart } from "@/lib/draft";
import { Form } from "@/ui/form";
import { ObjectGate } from "@/ui/states";
import { TestRouter } from "@/ui/test-router";
import { theme } from "@/ui/theme";
import { useEdited } from "./edited";

interface Entry {
  readonly name: string;
  readonly description: string;
  readonly macros?: readonly object[];
  readonly passphrase?: string;
}

let server: Entry | null;
let fetches: number;
const update = vi.fn(async (_change: Partial<Entry>) => {});

beforeEach(() => {
  server = { name: "web", description: "old" };
  fetches = 0;
  update.mockClear();
});

function EntryForm({ entry }: { readonly entry: Entry }) {
  const edited = useEdited<Entry>({
    server: () => entry,
    exists: true,
    onSave: (whole, before) => void update(changedPart(before, whole)),
  });
  const { fields, set } = edited;
  return (
    <Form
      call="host.update"
      label="Entry"
      draft={fields}
      base={edited.base}
      onSubmit={edited.submit}
      onCancel={() => {}}
      submitText="Save"
      busy={edited.checking}
      note={edited.note}
    >
      <label>
        Name
        <input value={fields.name} onChange={(event) => set({ name: event.target.value })} />
      </label>
      <label>
        Description
        <input
          value={fields.description}
          onChange={(event) => set({ description: event.target.value })}
        />
      </label>
    </Form>
  );
}

function ThingPage() {
  const query = useQuery({
    queryKey: ["entry"],
    queryFn: async () => {
      fetches += 1;
      return server;
    },
  });
  return (
    <>
      <button type="button" onClick={() => void query.refetch()}>
        The stream says so
      </button>
      <ObjectGate query={query} absent="There is no such entry.">
        {(entry) => <EntryForm entry={entry} />}
      </ObjectGate>
    </>
  );
}

async function open() {
  render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={new QueryClient()}>
        <TestRouter>
          <ThingPage />
        </TestRouter>
      </QueryClientProvider>
    </MantineProvider>,
  );
  await screen.findByLabelText("Name");
  return userEvent.setup();
}

const typed = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;
const press = (name: string) => screen.getByRole("button", { name });

describe("two editors of one object", () => {
  it("the second sees what the first saved before anything is sent, and keeps both", async () => {
    const user = await open();
    await user.type(screen.getByLabelText("Name"), "01");
    server = { name: "web", description: "the other one's" };
    await user.click(press("Save"));
    const dialog = await screen.findByRole("dialog", { name: "Changed by another user" });
    expect(update).not.toHaveBeenCalled();
    within(dialog).getByText("Description");
    within(dialog).getByText("the other one's");
    await user.click(within(dialog).getByRole("button", { name: "Save" }));
    await vi.waitFor(() => expect(update).toHaveBeenCalledWith({ name: "web01" }));
    expect(typed("Description")).toBe("the other one's");
  });

  it("chooses where both changed the same field, or goes back to the form", async () => {
    const user = await open();
    await user.type(screen.getByLabelText("Name"), "01");
    server = { name: "db", description: "old" };
    await user.click(press("Save"));
    let dialog = await screen.findByRole("dialog", { name: "Changed by another user" });
    await user.click(within(dialog).getByRole("button", { name: "Back to the form" }));
    expect(typed("Name")).toBe("web01");
    await user.click(press("Save"));
    dialog = await screen.findByRole("dialog", { name: "Changed by another user" });
    await user.click(within(dialog).getByRole("radio", { name: "Take theirs" }));
    await user.click(within(dialog).getByRole("button", { name: "Save" }));
    await vi.waitFor(() => expect(typed("Name")).toBe("db"));
    await vi.waitFor(() => expect(update).toHaveBeenCalledWith({}));
  });

  it("is warned as soon as the page knows, and an untouched form follows", async () => {
    const user = await open();
    server = { name: "web", description: "first" };
    await user.click(press("The stream says so"));
    await vi.waitFor(() => expect(typed("Description")).toBe("first"));
    expect(screen.queryByText(/Changed by another user/)).toBeNull();
    await user.type(screen.getByLabelText("Name"), "01");
    server = { name: "web", description: "second" };
    await user.click(press("The stream says so"));
    await screen.findByText("Changed by another user since you opened this form: Description.");
    expect(typed("Description")).toBe("first");
    await user.click(press("Compare"));
    await user.click(await screen.findByRole("button", { name: "Apply to the form" }));
    await vi.waitFor(() => expect(typed("Description")).toBe("second"));
    expect(typed("Name")).toBe("web01");
    expect(update).not.toHaveBeenCalled();
  });

  it("a save asks once what the server has, and sends only what differs", async () => {
    const user = await open();
    await user.type(screen.getByLabelText("Name"), "01");
    const before = fetches;
    await user.click(press("Save"));
    await vi.waitFor(() => expect(update).toHaveBeenCalledWith({ name: "web01" }));
    expect(fetches).toBe(before + 1);
  });

  it("shows no secret", async () => {
    const user = await open();
    await user.type(screen.getByLabelText("Name"), "01");
    const macros = [{ macro: "{$PASSWORD}", type: "1", value: "hunter2" }];
    server = { name: "web", description: "old", macros, passphrase: "hunter2" };
    await user.click(press("Save"));
    const dialog = await screen.findByRole("dialog", { name: "Changed by another user" });
    within(dialog).getByText(/PASSWORD/);
    expect(dialog.textContent).not.toContain("hunter2");
  });

  it("keeps what was typed of an object that was deleted meanwhile", async () => {
    const user = await open();
    await user.type(screen.getByLabelText("Name"), "01");
    server = null;
    await user.click(press("The stream says so"));
    await screen.findByText(/Deleted by another user/);
    expect(typed("Name")).toBe("web01");
  });
});
