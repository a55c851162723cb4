// One fetch for everything: same origin, the session's cookie, and the header that keeps other sites out.
// Errors leave as `ApiError`. A request whose session has ended waits while the user signs in again, and is then sent
// once more: the server refused it before it did anything.

import { t } from "@/lib/i18n";

export type FailureKind = "network" | "session" | "forbidden" | "refused" | "server" | "answer";

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly kind: FailureKind;
  readonly detail: string;
  /** all that the server said, where it refused */
  readonly answer: unknown;

  constructor(kind: FailureKind, message: string, detail = "", answer: unknown = undefined) {
    super(message);
    this.kind = kind;
    this.detail = detail;
    this.answer = answer;
  }
}

/** The sentence for people: what the server says in `data` is more exact than its `message`. */
export function errorText(error: unknown): string {
  if (error instanceof ApiError) return error.detail === "" ? error.message : error.detail;
  return error instanceof Error ? error.message : String(error);
}

/** Resolves once there is a session again; false: the user left instead. */
type SessionLostHandler = () => Promise<boolean>;

let onSessionLost: SessionLostHandler = async () => false;

export function setSessionLostHandler(handler: SessionLostHandler): void {
  onSessionLost = handler;
}

// long enough for a snapshot of 100,000 problems over a slow line
const TIMEOUT_MS = 30_000;

export interface HttpRequest {
  readonly method?: "GET" | "POST";
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** answers 401 without ending the session, as at login */
  readonly quietSession?: boolean;
  /** for what takes longer than most */
  readonly timeoutMs?: number;
  /** an answer of this status is no error */
  readonly orStatus?: number;
}

export async function http(path: string, request: HttpRequest = {}): Promise<unknown> {
  const response = await ask(path, "application/json", request);
  return readJson(response);
}

/** An answer that is text for people or for other programs. */
export async function httpText(path: string, request: HttpRequest = {}): Promise<string> {
  return (await ask(path, "text/plain", request)).text();
}

/** Objects as the server sends them, one per line, until the response ends. */
export async function* httpLines(path: string, request: HttpRequest): AsyncGenerator<unknown> {
  const response = await ask(path, "application/x-ndjson", request);
  const text = response.body?.pipeThrough(new TextDecoderStream());
  if (text === undefined) return;
  const reader = text.getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      yield* lines.filter((line) => line !== "").map(parsed);
    }
    if (rest !== "") yield parsed(rest);
  } catch (cause) {
    if (cause instanceof ApiError || request.signal?.aborted === true) throw cause;
    throw new ApiError("network", t("The server ended its response early."), "");
  } finally {
    // a reader that stops does not wait for more
    await reader.cancel().catch(() => undefined);
  }
}

async function ask(path: string, accept: string, request: HttpRequest): Promise<Response> {
  const { method = "GET", body, signal, quietSession = false, timeoutMs = TIMEOUT_MS } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      credentials: "same-origin",
      headers: {
        "X-Requested-With": "saker",
        Accept: accept,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    throw new ApiError("network", t("The server does not answer."), "");
  }
  if (response.ok || response.status === request.orStatus) return response;
  const error = httpError(response.status, await readJson(response));
  const isLost = error.kind === "session" && !quietSession;
  if (isLost && (await sessionLost())) return ask(path, accept, request);
  throw error;
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === "") return undefined;
  try {
    return parsed(text);
  } catch (cause) {
    if (!response.ok) return undefined;
    throw cause;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError("answer", t("The server's response is not JSON."));
  }
}

/** An error that comes in an answer which began well. */
export function serverError(answer: unknown): ApiError {
  return new ApiError("server", serverMessage(answer) ?? t("The server failed."));
}

function httpError(status: number, answer: unknown): ApiError {
  const said = serverMessage(answer);
  if (status === 401) return new ApiError("session", said ?? t("Please sign in again."));
  if (status === 403) return new ApiError("forbidden", said ?? t("You have no access to this."));
  if (status < 500) {
    const message = said ?? t("The request was refused ({status}).", { status });
    return new ApiError("refused", message, "", answer);
  }
  return new ApiError("server", said ?? t("The server failed ({status}).", { status }));
}

function serverMessage(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null || !("error" in answer)) return undefined;
  const { error } = answer;
  if (typeof error === "string") return error;
  if (typeof error === "object" && error !== null) {
    if ("data" in error && typeof error.data === "string" && error.data !== "") return error.data;
    if ("message" in error && typeof error.message === "string") return error.message;
  }
  return undefined;
}

/** For JSON-RPC, whose errors come with status 200, and for workers. True: there is a session again. */
export function sessionLost(): Promise<boolean> {
  return onSessionLost();
}
