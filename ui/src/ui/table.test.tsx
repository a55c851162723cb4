import { MantineProvider } from "@mantine/core";
import { fireEvent, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type DataColumn, DataTable } from "./data-table";
import { SeverityLabel, SeverityMark } from "./severity-mark";

interface Row {
  readonly id: string;
  readonly n: number;
}

const COLUMNS: readonly DataColumn<Row>[] = [
  { id: "id", title: "Name", width: "1fr", sortValue: (row) => row.id, cell: (row) => row.id },
  { id: "n", title: "Number", width: "1fr", sortValue: (row) => row.n, cell: (row) => row.n },
];
const ROWS: readonly Row[] = [
  { id: "item 10", n: 3 },
  { id: "item 9", n: 20 },
  { id: "item 1", n: 1 },
];

function List({ onOpen }: { readonly onOpen: (row: Row) => void }) {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  return (
    <MantineProvider env="test">
      <DataTable
        label="Rows"
        rows={ROWS}
        columns={COLUMNS}
        rowKey={(row) => row.id}
        onOpen={onOpen}
        picking={{ picked, onChange: setPicked }}
      />
    </MantineProvider>
  );
}

function names(): string[] {
  const [, ...rows] = within(screen.getByRole("table", { name: "Rows" })).getAllByRole("row");
  return rows.map((row) => within(row).getAllByRole("cell")[1]?.textContent ?? "");
}

beforeEach(() => {
  // the test environment has no layout: give the virtual list a window to fill
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(600);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(800);
});

describe("lists", () => {
  it("sort by the column one clicks, numbers inside of names as numbers", async () => {
    const user = userEvent.setup();
    render(<List onOpen={() => {}} />);
    expect(names()).toEqual(["item 10", "item 9", "item 1"]);
    await user.click(screen.getByRole("button", { name: "Name" }));
    expect(names()).toEqual(["item 1", "item 9", "item 10"]);
    await user.click(screen.getByRole("button", { name: "Number" }));
    await user.click(screen.getByRole("button", { name: "Number" }));
    expect(names()).toEqual(["item 9", "item 10", "item 1"]);
    expect(screen.getByRole("columnheader", { name: "Number" }).getAttribute("aria-sort")).toBe(
      "descending",
    );
  });

  it("are used by keys alone: j, k, x, Enter", () => {
    const onOpen = vi.fn();
    render(<List onOpen={onOpen} />);
    for (const key of ["j", "j", "k", "j", "x", "Enter"]) fireEvent.keyDown(window, { key });
    expect(onOpen).toHaveBeenCalledExactlyOnceWith(ROWS[1]);
    const picked = screen
      .getAllByRole("row")
      .filter(
        (row) => within(row).queryByRole("checkbox", { name: "Pick", checked: true }) !== null,
      );
    expect(picked).toHaveLength(1);
    expect(picked[0]?.textContent).toContain("item 9");
  });

  it("pick all and none", async () => {
    const user = userEvent.setup();
    render(<List onOpen={() => {}} />);
    const all = screen.getByRole("checkbox", { name: "Pick all" });
    await user.click(all);
    expect(
      screen.getAllByRole<HTMLInputElement>("checkbox", { name: "Pick" }).every((it) => it.checked),
    ).toBe(true);
    await user.click(all);
    expect(
      screen.getAllByRole<HTMLInputElement>("checkbox", { name: "Pick" }).some((it) => it.checked),
    ).toBe(false);
  });
});

describe("severities", () => {
  it("are named for those who see neither colour nor shape", () => {
    render(<SeverityMark severity={4} />);
    expect(screen.getByRole("img", { name: "High" }).textContent).toContain("H");
  });

  it("say their name once when it is written next to the mark", () => {
    render(<SeverityLabel severity={5} />);
    expect(screen.queryByRole("img")).toBeNull();
    expect(screen.getByText("Disaster")).toBeDefined();
  });
});
