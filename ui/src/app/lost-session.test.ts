import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import { http, setSessionLostHandler } from "@/api/http";
import { call } from "@/api/rpc";
import { LostSession } from "./lost-session";

afterEach(() => setSessionLostHandler(async () => false));

const answer = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });

const REFUSED = {
  jsonrpc: "2.0",
  error: {
    code: -32602,
    message: "Invalid params.",
    data: "Session terminated, re-login, please.",
  },
};

describe("requests whose session has ended", () => {
  it("wait for the user and are sent again, all by one question", async () => {
    const lost = new LostSession();
    setSessionLostHandler(() => lost.ask());
    let isIn = false;
    const sent = vi.fn(async (path: string) => {
      if (path === "/api_jsonrpc.php") return answer(200, isIn ? { result: ["7"] } : REFUSED);
      return isIn ? answer(200, { fine: true }) : answer(401, {});
    });
    vi.stubGlobal("fetch", sent);
    const both = Promise.all([
      http("/api/v1/overview"),
      call("host.delete", ["7"], z.array(z.string())),
    ]);
    await vi.waitFor(() => expect(sent).toHaveBeenCalledTimes(2));
    await vi.waitFor(() => expect(lost.getState()).toBe("asking"));
    isIn = true;
    lost.end(true);
    expect(await both).toEqual([{ fine: true }, ["7"]]);
    expect(lost.getState()).toBe("none");
    expect(sent).toHaveBeenCalledTimes(4);
  });

  it("fail as before where the user leaves, and are not sent again", async () => {
    const lost = new LostSession();
    setSessionLostHandler(() => lost.ask());
    const sent = vi.fn(async () => answer(401, {}));
    vi.stubGlobal("fetch", sent);
    const asked = http("/api/v1/overview").catch((error: unknown) => error);
    await vi.waitFor(() => expect(lost.getState()).toBe("asking"));
    lost.end(false);
    expect(await asked).toMatchObject({ kind: "session" });
    expect(sent).toHaveBeenCalledOnce();
  });

  it("that are no concern of the user's are not asked about: a wrong password at the login", async () => {
    const handler = vi.fn(async () => true);
    setSessionLostHandler(handler);
    vi.stubGlobal("fetch", async () => answer(401, {}));
    await expect(http("/api/v1/login", { quietSession: true })).rejects.toMatchObject({
      kind: "session",
    });
    expect(handler).not.toHaveBeenCalled();
  });

  it("ask nobody who is signing out", async () => {
    const lost = new LostSession();
    lost.leave();
    expect(await lost.ask()).toBe(false);
    expect(lost.getState()).toBe("none");
    lost.end(false);
    void lost.ask();
    expect(lost.getState()).toBe("asking");
  });

  it("a covered page stays covered when a second request needs the session", () => {
    const lost = new LostSession();
    void lost.ask(true);
    void lost.ask();
    expect(lost.getState()).toBe("hidden");
  });
});
