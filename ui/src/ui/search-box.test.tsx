import { MantineProvider } from "@mantine/core";
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { SearchBox } from "./search-box";

function box(value: string, onChange: (text: string) => void = () => {}) {
  return (
    <MantineProvider env="test">
      <SearchBox value={value} onChange={onChange} placeholder="Search" />
    </MantineProvider>
  );
}

const field = () => screen.getByRole<HTMLInputElement>("searchbox", { name: "Search" });
const type = (text: string) => fireEvent.change(field(), { target: { value: text } });

it("letters that come back late do not take away those behind them", () => {
  const onChange = vi.fn();
  const { rerender } = render(box("", onChange));
  for (const it of ["d", "di", "dis"]) type(it);
  rerender(box("di", onChange));
  expect(field().value).toBe("dis");
  rerender(box("dis", onChange));
  expect(field().value).toBe("dis");
  // not typed here
  rerender(box("di", onChange));
  expect(field().value).toBe("di");
  expect(onChange.mock.calls.flat()).toEqual(["d", "di", "dis"]);
});

it("a text that was typed and taken back may come from elsewhere", () => {
  const { rerender } = render(box(""));
  type("d");
  type("");
  rerender(box("d"));
  expect(field().value).toBe("d");
});
