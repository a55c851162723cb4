// JSON-RPC 2.0 with answers checked against a schema.

import type { ZodMiniType } from "zod/mini";
import { isRecord } from "@/lib/columns";
import { t } from "@/lib/i18n";
import type { Methods } from "./generated/methods";
import { ApiError, http, sessionLost } from "./http";

let nextId = 1;

/** For changes of what may be tens of thousands of objects at once. */
export const MASS_MS = 300_000;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

/** Parameters are held against what the server describes; answers are checked when they come. */
export async function call<M extends keyof Methods, T>(
  method: M,
  params: Methods[M]["params"],
  answer: ZodMiniType<T>,
  options: AbortSignal | CallOptions = {},
): Promise<T> {
  const id = nextId;
  nextId += 1;
  const body = { jsonrpc: "2.0", method, params, id };
  const more = options instanceof AbortSignal ? { signal: options } : options;
  const response = await http("/api_jsonrpc.php", { method: "POST", body, ...more });
  if (!isRecord(response))
    throw new ApiError("answer", t("{call}: the response is not an object.", { call: method }));
  if (isRecord(response["error"])) {
    const error = rpcError(response["error"]);
    if (error.kind === "session" && (await sessionLost())) {
      return call(method, params, answer, options);
    }
    throw error;
  }
  const parsed = answer.safeParse(response["result"]);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue === undefined ? "" : `${issue.path.join(".")}: ${issue.message}`;
    throw new ApiError(
      "answer",
      t("{call}: the response has an unexpected format.", { call: method }),
      where,
    );
  }
  return parsed.data;
}

function rpcError(error: Record<string, unknown>): ApiError {
  const message = String(error["message"] ?? t("Application error."));
  const data = String(error["data"] ?? "");
  const said = `${message} ${data}`;
  if (/re-login|Not authorized/i.test(said)) return new ApiError("session", message, data);
  if (/No permissions/i.test(said)) return new ApiError("forbidden", message, data);
  return new ApiError("refused", message, data);
}
