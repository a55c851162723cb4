import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DEFAULT_FILTER } from "./filter";
import { TypedText, useTyping } from "./typed-text";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it("the filter with the text is the same object until one of them is another", () => {
  const typed = new TypedText();
  expect(typed.applied(DEFAULT_FILTER)).toBe(DEFAULT_FILTER);
  typed.text = "disk";
  const applied = typed.applied(DEFAULT_FILTER);
  expect(applied).toEqual({ ...DEFAULT_FILTER, text: "disk" });
  expect(typed.applied(DEFAULT_FILTER)).toBe(applied);
  const other = { ...DEFAULT_FILTER, suppressed: true };
  expect(typed.applied(other)).toEqual({ ...other, text: "disk" });
  typed.text = "";
  expect(typed.applied(other)).toBe(other);
});

function typing(text = "") {
  const [onType, onSettle] = [vi.fn(), vi.fn()];
  const hook = renderHook((props) => useTyping({ ...props, onType, onSettle }), {
    initialProps: { text },
  });
  const type = (...letters: string[]) => {
    for (const it of letters) act(() => hook.result.current.type(it));
  };
  return { ...hook, onType, onSettle, type, typed: () => hook.result.current.typed.text };
}

it("each letter is asked for, the page hears of a pause", () => {
  const { type, onType, onSettle, typed, rerender } = typing();
  type("d", "di", "dis");
  expect(onType).toHaveBeenCalledTimes(3);
  expect(onSettle).not.toHaveBeenCalled();
  vi.advanceTimersByTime(400);
  expect(onSettle).toHaveBeenCalledTimes(1);
  // until the page has it, it stays: a change of a problem must not ask for the list before
  expect(typed()).toBe("dis");
  rerender({ text: "dis" });
  expect(typed()).toBeUndefined();
});

it("what the page takes over while somebody types on is not the end of it", () => {
  const { type, typed, rerender, onSettle } = typing();
  type("di");
  vi.advanceTimersByTime(400);
  type("dis");
  rerender({ text: "di" });
  expect(typed()).toBe("dis");
  vi.advanceTimersByTime(400);
  expect(onSettle).toHaveBeenCalledTimes(2);
});

it("leaving the field ends the wait; an unchanged text is no change", () => {
  const { type, typed, result, onSettle } = typing("disk");
  type("dis");
  act(() => result.current.settle());
  expect(onSettle).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(400);
  expect(onSettle).toHaveBeenCalledTimes(1);
  type("disk");
  vi.advanceTimersByTime(400);
  expect(onSettle).toHaveBeenCalledTimes(1);
  expect(typed()).toBeUndefined();
});

it("what is given up does not come back, and a page that went is not called", () => {
  const { type, result, typed, onSettle, unmount } = typing();
  type("d");
  act(() => result.current.forget());
  expect([typed(), result.current.field]).toEqual([undefined, 1]);
  vi.advanceTimersByTime(400);
  type("d");
  unmount();
  vi.advanceTimersByTime(400);
  expect(onSettle).not.toHaveBeenCalled();
});
