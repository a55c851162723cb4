import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { keys } from "@/api/query-keys";
import type { Matcher } from "@/lib/words";
import { TestRouter } from "@/ui/test-router";
import { theme } from "@/ui/theme";
import { ObjectList } from "./object-list";

interface Entry {
  readonly id: string;
  readonly name: string;
}

const select = (all: readonly Entry[], finds: Matcher) =>
  all.filter(({ name }) => finds(() => [name]));

interface ListProps {
  readonly entries: readonly Entry[];
  readonly onNew: () => void;
}

function List({ entries, onNew }: ListProps) {
  const [text, onText] = useState("");
  const query = useQuery({ queryKey: ["entries"], queryFn: async () => entries });
  return (
    <ObjectList
      title="Entries"
      note={(rows) => `${rows.length} entries`}
      calls={{ object: "sla", words: { create: "New entry" } }}
      query={query}
      select={select}
      columns={[{ id: "name", title: "Name", width: "1fr", cell: ({ name }) => name }]}
      rowKey={({ id }) => id}
      picks="sla.update"
      actions={({ rows, picked }) => <output>{`${picked.size} of ${rows.length}`}</output>}
      onNew={onNew}
      search={{ text, onText, placeholder: "Search" }}
      none="No entries yet"
    />
  );
}

interface Given {
  readonly entries: readonly Entry[];
  /** methods that the user may not call */
  readonly denied?: readonly string[];
}

async function open({ entries, denied = [] }: Given) {
  const onNew = vi.fn();
  const client = new QueryClient();
  client.setQueryData(keys.session, { denied });
  render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={client}>
        <TestRouter>
          <List entries={entries} onNew={onNew} />
        </TestRouter>
      </QueryClientProvider>
    </MantineProvider>,
  );
  await screen.findByText(`${entries.length} entries`);
  return { user: userEvent.setup(), onNew };
}

const TWO = [
  { id: "1", name: "web of the shop" },
  { id: "2", name: "database" },
];

afterEach(cleanup);

describe("the list of objects", () => {
  it("counts and passes to its actions what the search finds", async () => {
    const { user } = await open({ entries: TWO });
    expect(screen.getByText("0 of 2")).toBeTruthy();
    await user.type(screen.getByLabelText("Search"), "shop web");
    expect(screen.getByText("1 entries")).toBeTruthy();
    expect(screen.getByText("0 of 1")).toBeTruthy();
  });

  it("distinguishes a search without result from a list without objects", async () => {
    const { user } = await open({ entries: TWO });
    await user.type(screen.getByLabelText("Search"), "mail");
    expect(screen.getByText("Nothing matches.")).toBeTruthy();
    cleanup();
    const { user: other, onNew } = await open({ entries: [] });
    await screen.findByText("No entries yet");
    await other.click(screen.getByRole("button", { name: "Create the first one" }));
    expect(onNew).toHaveBeenCalledOnce();
  });

  it("offers neither new objects nor picking to users who may not change any", async () => {
    await open({ entries: [], denied: ["sla.create", "sla.update"] });
    await screen.findByText("No entries yet");
    expect(screen.queryByRole("button", { name: "New entry" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Create the first one" })).toBeNull();
    expect(screen.queryByRole("checkbox")).toBeNull();
  });
});
