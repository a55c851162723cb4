import { act, render } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { rowsMade, useFreshRows } from "./fresh-rows";

it("rows that are there stay, so many others come with them, the first ones first", () => {
  const check = (
    wanted: string,
    known: string,
    freshMax: number,
    made: string,
    isPart: boolean,
  ) => {
    const found = rowsMade([...wanted], new Set(known), freshMax);
    expect([[...found.made].join(""), found.isPart]).toEqual([made, isPart]);
  };
  check("abc", "", 3, "abc", false);
  check("abcde", "", 2, "ab", true);
  check("abcde", "de", 2, "abde", true);
  check("abcde", "abde", 2, "abcde", false);
  check("", "abc", 2, "", false);
  check("ab", "ab", 0, "ab", false);
});

const frames = new Map<number, FrameRequestCallback>();
let asked = 0;

beforeEach(() => {
  frames.clear();
  vi.stubGlobal("requestAnimationFrame", (frame: FrameRequestCallback) => {
    asked += 1;
    frames.set(asked, frame);
    return asked;
  });
  vi.stubGlobal("cancelAnimationFrame", (id: number) => frames.delete(id));
});

afterEach(() => vi.unstubAllGlobals());

function frame(): void {
  const due = [...frames.values()];
  frames.clear();
  act(() => {
    for (const it of due) it(0);
  });
}

let seen: string[] = [];

function List({ wanted }: { readonly wanted: string }) {
  seen.push([...useFreshRows([...wanted], 2)].join(""));
  return null;
}

it("a part comes with each frame until all are there, then no frame is asked for", () => {
  seen = [];
  const { rerender } = render(<List wanted="abcde" />);
  frame();
  frame();
  expect(seen).toEqual(["ab", "abcd", "abcde"]);
  expect(frames.size).toBe(0);
  rerender(<List wanted="defg" />);
  expect(seen.at(-1)).toBe("defg");
  expect(frames.size).toBe(0);
  // another screen before the last one was whole
  rerender(<List wanted="stuv" />);
  rerender(<List wanted="wxyz" />);
  expect(seen.at(-1)).toBe("wx");
  frame();
  expect(seen.at(-1)).toBe("wxyz");
});

function Filled({ wanted }: { readonly wanted: string }) {
  seen.push([...useFreshRows([...wanted], 4, 2)].join(""));
  return null;
}

it("a list that was empty is filled by smaller parts, what replaces rows comes at once", () => {
  seen = [];
  const { rerender } = render(<Filled wanted="" />);
  rerender(<Filled wanted="abcde" />);
  frame();
  frame();
  expect(seen).toEqual(["", "ab", "abcd", "abcde"]);
  rerender(<Filled wanted="wxyz" />);
  expect(seen.at(-1)).toBe("wxyz");
  rerender(<Filled wanted="" />);
  rerender(<Filled wanted="abcd" />);
  expect(seen.at(-1)).toBe("ab");
});
