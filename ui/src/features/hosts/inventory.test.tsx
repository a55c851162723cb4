import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  AUTOMATIC,
  DISABLED,
  fetchInventory,
  type HostInventory,
  INVENTORY_FIELDS,
  MANUAL,
} from "@/api/inventory";
import { TestRouter } from "@/ui/test-router";
import { theme } from "@/ui/theme";
import { changeOf, linkOf, selectFields, tooLong } from "./inventory-fields";
import { InventoryForm } from "./inventory-form";
import { InventoryPage, type InventorySearch } from "./inventory-page";

interface Call {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

let calls: Call[] = [];
let answers: Record<string, unknown> = {};
const DONE = { "host.update": { hostids: ["10"] } };

beforeEach(() => {
  calls = [];
  answers = DONE;
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    const { method, params, id } = JSON.parse(String(init.body));
    calls.push({ method, params });
    const body = JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] ?? [] });
    return new Response(body, { headers: { "Content-Type": "application/json" } });
  });
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const ITEM = { itemid: "7", name: "System name", inventory_link: "5" };

function answer(mode: string, inventory: unknown) {
  answers = { "host.get": [{ inventory_mode: mode, inventory }], "item.get": [ITEM] };
}

function inventoryOf(mode: string, texts: HostInventory["texts"]): HostInventory {
  return { mode, texts, items: new Map([["os", { itemid: "7", name: "System name" }]]) };
}

function show(search: InventorySearch = {}) {
  render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={new QueryClient()}>
        <TestRouter>
          <InventoryPage hostid="10" search={search} onSearch={() => {}} />
        </TestRouter>
      </QueryClientProvider>
    </MantineProvider>,
  );
}

function showForm(inventory: HostInventory, onDone = () => {}) {
  render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={new QueryClient()}>
        <TestRouter>
          <InventoryForm hostid="10" inventory={inventory} onDone={onDone} />
        </TestRouter>
      </QueryClientProvider>
    </MantineProvider>,
  );
}

// by text and events as they are: roles and keys take seconds among seventy fields
function save() {
  fireEvent.submit(screen.getByText("Save").closest("form") as HTMLFormElement);
}

function write(input: HTMLElement, value: string) {
  fireEvent.change(input, { target: { value } });
}

const saved = () => calls.filter(({ method }) => method === "host.update");

describe("fields of the inventory", () => {
  it("stand in the order by which items name them", () => {
    expect(INVENTORY_FIELDS).toHaveLength(70);
    expect([0, 4, 69].map((at) => INVENTORY_FIELDS[at]?.name)).toEqual([
      "type",
      "os",
      "poc_2_notes",
    ]);
  });

  it("are found by title, name and text, filled ones alone or all", () => {
    const texts = { os: "Debian", site_city: "Riga" };
    const names = (q: string, filledOnly: boolean) =>
      selectFields(texts, { q, filledOnly }).flatMap(({ fields }) =>
        fields.map(({ name }) => name),
      );
    expect(names("", true)).toEqual(["os", "site_city"]);
    expect(names("riga", true)).toEqual(["site_city"]);
    expect(names("serialno", true)).toEqual([]);
    expect(names("serial number", false)).toEqual(["serialno_a", "serialno_b"]);
    expect(names("", false)).toHaveLength(70);
  });

  it("are sent where they changed, but for those of items", () => {
    const manual = inventoryOf(MANUAL, { os: "Debian", model: "x1", tag: "t" });
    const texts = { os: "mine", model: "", tag: "t" };
    expect(changeOf(manual, { mode: MANUAL, texts })).toEqual({
      mode: MANUAL,
      texts: { os: "mine", model: "" },
    });
    expect(changeOf(manual, { mode: AUTOMATIC, texts })).toEqual({
      mode: AUTOMATIC,
      texts: { model: "" },
    });
    expect(changeOf(manual, { mode: DISABLED, texts })).toEqual({ mode: DISABLED, texts: {} });
  });

  it("hold characters, not UTF-16 units", () => {
    expect(tooLong({ location_lat: "😀".repeat(16) })).toEqual([]);
    expect(tooLong({ location_lat: "x".repeat(17) }).map(({ name }) => name)).toEqual([
      "location_lat",
    ]);
  });

  it("are links if they are addresses of the web", () => {
    expect(linkOf("https://wiki.example/a?b=1")).toBe("https://wiki.example/a?b=1");
    for (const text of ["javascript:alert(1)", "see http://a", "http://", "file:///etc/passwd"]) {
      expect(linkOf(text)).toBeUndefined();
    }
  });
});

describe("what the server returns", () => {
  it("becomes filled fields and the items that fill them", async () => {
    answer("1", { os: "Debian", name: "", url_a: "" });
    const inventory = await fetchInventory("10");
    expect(inventory?.texts).toEqual({ os: "Debian" });
    expect(inventory?.items.get("os")).toEqual({ itemid: "7", name: "System name" });
    answer("-1", []);
    expect(await fetchInventory("10")).toMatchObject({ mode: DISABLED, texts: {} });
  });
});

describe("the page of an inventory", () => {
  it("shows filled fields in groups, where they come from, and links", async () => {
    answer("1", { os: "Debian", site_city: "Riga", url_a: "https://wiki.example/web" });
    show();
    const software = await screen.findByRole("region", { name: "Software" });
    expect(within(software).getByText("Debian")).toBeDefined();
    const item = within(software).getByRole("link", { name: "System name" });
    expect(item.getAttribute("href")).toBe("/hosts/10/items/7");
    expect(screen.getByText("Automatic, 3 fields filled")).toBeDefined();
    const url = screen.getByRole("link", { name: "https://wiki.example/web" });
    expect(url.getAttribute("rel")).toBe("noreferrer");
    expect(screen.queryByText("Serial number A")).toBeNull();
  });

  it("shows empty fields on demand", async () => {
    answer("0", { os: "Debian" });
    show({ show: "all", q: "os" });
    expect(await screen.findByText("OS (Short)")).toBeDefined();
    // in manual mode it is not filled
    expect(screen.queryByText("by item")).toBeNull();
  });

  it("offers to set one up where there is none", async () => {
    answer("-1", []);
    show();
    expect(await screen.findByRole("button", { name: "Set up" })).toBeDefined();
    expect(screen.queryByRole("button", { name: "Edit" })).toBeNull();
  });
});

describe("the form of an inventory", () => {
  it("sends what was changed and keeps fields of items read-only", async () => {
    const onDone = vi.fn();
    showForm(inventoryOf(AUTOMATIC, { os: "Debian", model: "x1" }), onDone);
    const os = await screen.findByLabelText("OS");
    expect((os as HTMLInputElement).readOnly).toBe(true);
    const model = screen.getByLabelText("Model");
    write(model, "x2");
    save();
    await waitFor(() => expect(onDone).toHaveBeenCalled());
    expect(saved().map(({ params }) => params)).toEqual([
      { hostid: "10", inventory_mode: AUTOMATIC, inventory: { model: "x2" } },
    ]);
  });

  it("keeps a field visible while one types in it", async () => {
    showForm(inventoryOf(MANUAL, { model: "x1" }));
    write(await screen.findByLabelText("Search fields and texts"), "x1");
    expect(screen.queryByLabelText("Vendor")).toBeNull();
    const model = screen.getByLabelText("Model");
    write(model, "");
    expect(screen.getByLabelText("Model")).toBe(model);
  });

  it("says what turning it off deletes, and sends no text then", async () => {
    showForm(inventoryOf(MANUAL, { model: "x1" }));
    fireEvent.click(await screen.findByLabelText("Disabled"));
    expect(screen.getByText("Saving deletes the inventory values.")).toBeDefined();
    save();
    await waitFor(() => expect(saved()).toHaveLength(1));
    expect(saved()[0]?.params).toEqual({ hostid: "10", inventory_mode: DISABLED });
  });

  it("sends nothing that is too long", async () => {
    showForm(inventoryOf(MANUAL, {}));
    const latitude = await screen.findByLabelText("Location latitude");
    write(latitude, "12345678901234567");
    save();
    expect(screen.getByText("at most 16 characters")).toBeDefined();
    expect(saved()).toEqual([]);
  });
});
