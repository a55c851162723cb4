import { afterEach, expect, test, vi } from "vitest";
import { ACKNOWLEDGE, acknowledge } from "./events";

afterEach(() => vi.unstubAllGlobals());

test("an update of a storm is made in parts, one after the other", async () => {
  const sizes: number[] = [];
  let running = 0;
  vi.stubGlobal("fetch", async (_url: string, init: RequestInit) => {
    running += 1;
    expect(running).toBe(1);
    const { id, params } = JSON.parse(String(init.body));
    expect(params.action).toBe(ACKNOWLEDGE.acknowledge);
    sizes.push(params.eventids.length);
    await Promise.resolve();
    running -= 1;
    const result = { eventids: params.eventids };
    return new Response(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  const eventids = Array.from({ length: 12_345 }, (_, at) => String(at + 1));
  await acknowledge({ eventids, action: ACKNOWLEDGE.acknowledge });
  expect(sizes).toEqual([5_000, 5_000, 2_345]);
});
