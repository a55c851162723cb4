// Who is signed in. Asked before the catalogue of texts is there (main.tsx): nothing that this imports may hold text
// as a constant.

import { checked } from "./checked";
import { http } from "./http";
import * as schema from "./schema";
import type { SessionUser } from "./types";

export async function login(username: string, password: string): Promise<SessionUser> {
  const body = { username, password };
  const answer = await http("/api/v1/login", { method: "POST", body, quietSession: true });
  const { user, timezone } = checked("login", answer, schema.loginAnswer);
  return { ...user, serverZone: timezone ?? undefined };
}

export async function logout(): Promise<void> {
  await http("/api/v1/logout", { method: "POST", body: {}, quietSession: true });
}

/** The signed-in user, undefined when there is none. */
export async function fetchSession(): Promise<SessionUser | undefined> {
  const answer = await http("/api/v1/session", { quietSession: true });
  const { user, timezone } = checked("session", answer, schema.sessionAnswer);
  return user === null ? undefined : { ...user, serverZone: timezone ?? undefined };
}
