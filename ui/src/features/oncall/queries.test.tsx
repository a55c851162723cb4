import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, it, vi } from "vitest";
import type { OncallSchedule } from "@/api/oncall";
import { useOverride } from "./queries";

const override = (userid: string) => ({ userid, time_from: "100", time_till: "200" });

const SCHEDULE: OncallSchedule = {
  oncallid: "7",
  name: "Turns",
  timezone: "UTC",
  description: "",
  rotations: [],
  overrides: [override("1")],
};

it("an override is added to those that others have added meanwhile", async () => {
  const updates: unknown[] = [];
  vi.stubGlobal("fetch", async (_path: string, { body }: { readonly body: string }) => {
    const { method, params } = JSON.parse(body);
    if (method === "oncall.update") updates.push(params);
    const overrides = [...SCHEDULE.overrides, override("2")];
    const result = method === "oncall.get" ? [{ ...SCHEDULE, overrides }] : { oncallids: ["7"] };
    return new Response(JSON.stringify({ jsonrpc: "2.0", result }));
  });
  const wrapper = ({ children }: { readonly children: ReactNode }) => (
    <QueryClientProvider client={new QueryClient()}>{children}</QueryClientProvider>
  );
  // the page was opened before the second one was there
  const { result } = renderHook(() => useOverride(SCHEDULE, () => {}), { wrapper });
  result.current.mutate(override("3"));
  await waitFor(() => expect(updates).toHaveLength(1));
  expect(updates[0]).toMatchObject({
    oncallid: "7",
    overrides: [override("1"), override("2"), override("3")],
  });
});
