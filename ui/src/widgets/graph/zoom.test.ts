// @vitest-environment happy-dom

import { act, renderHook } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { type TimeRange, toRange } from "@/lib/time";
import { useZoom } from "./zoom";

function opened(first: TimeRange) {
  let range = first;
  const hook = renderHook(() =>
    useZoom(range, (next) => {
      range = next;
    }),
  );
  return {
    range: () => range,
    does: (what: (zoom: ReturnType<typeof useZoom>) => void) => {
      act(() => what(hook.result.current));
      hook.rerender();
      return hook.result.current;
    },
  };
}

describe("a closer look", () => {
  it("leads back step by step, also if several charts report one drag", () => {
    const page = opened({ from: "now-1h", to: "now" });
    page.does(({ zoom }) => {
      zoom(1000, 1600);
      zoom(1000, 1600);
    });
    expect(page.range()).toEqual(toRange(1000, 1600));
    page.does(({ zoom }) => zoom(1100, 1200));
    expect(page.does(({ back }) => back()).canGoBack).toBe(true);
    expect(page.range()).toEqual(toRange(1000, 1600));
    expect(page.does(({ back }) => back()).canGoBack).toBe(false);
    expect(page.range()).toEqual({ from: "now-1h", to: "now" });
  });

  it("is never closer than some seconds, and wider where there is no way back", () => {
    const page = opened(toRange(5000, 6000));
    page.does(({ back }) => back());
    expect(page.range()).toEqual(toRange(4500, 6500));
    page.does(({ zoom }) => zoom(5000, 5000.5));
    expect(page.range()).toEqual(toRange(4995.25, 5005.25));
  });
});
