// What the tests run against: a server that is given, or one that they start themselves.
// SAKER_E2E_URL + SAKER_E2E_PASSWORD (+ SAKER_E2E_TRAPPER): given, nothing is started.
// SAKER_BIN: a server of that binary with data of its own, ended by its process id.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEarlyEnd, STEP_MS, step } from "./progress";

/** A value as zabbix_sender sends it; without a time it is of now. */
export interface Sent {
  readonly host: string;
  readonly key: string;
  readonly value: string;
  /** seconds since the epoch */
  readonly clock?: number | undefined;
}

export interface Target {
  readonly url: string;
  readonly password: string;
  /** sends a value as zabbix_sender does; undefined when no trapper is known */
  readonly send:
    | ((host: string, key: string, value: string, clock?: number) => Promise<void>)
    | undefined;
  /** sends many in one request */
  readonly sendAll: ((values: readonly Sent[]) => Promise<void>) | undefined;
  readonly stop: () => Promise<void>;
}

const STOP_MS = 10_000;
// a loopback address of this file's own: files run side by side, and a port that is free for one is so for all
const ADDRESS = `127.73.${1 + ((process.pid >> 8) % 250)}.${1 + (process.pid % 250)}`;

export interface TargetOptions {
  /** whether a server that is started watches itself; a busy machine is a problem then, which some tests would count */
  readonly ownHost?: boolean;
}

export async function openTarget({ ownHost = true }: TargetOptions = {}): Promise<Target> {
  const {
    SAKER_E2E_URL: url,
    SAKER_E2E_PASSWORD: password,
    SAKER_E2E_TRAPPER: trapper,
    SAKER_BIN: binary,
  } = process.env;
  if (url !== undefined) {
    if (password === undefined) throw new Error("SAKER_E2E_PASSWORD is not set");
    return {
      url: url.replace(/\/$/, ""),
      password,
      ...(trapper === undefined ? { send: undefined, sendAll: undefined } : sender(trapper)),
      stop: async () => {},
    };
  }
  if (binary !== undefined) return startServer(binary, ownHost);
  throw new Error("neither SAKER_BIN nor SAKER_E2E_URL is set");
}

async function startServer(binary: string, ownHost: boolean): Promise<Target> {
  const data = mkdtempSync(join(tmpdir(), "saker-e2e-data-"));
  const http = `${ADDRESS}:${await freePort()}`;
  const trapper = `${ADDRESS}:${await freePort()}`;
  const password = "e2e-Password-1";
  const flags = ["--data", data, "--http", http, "--trapper", trapper];
  const child = spawn(binary, ["server", ...flags, "--own-host", String(ownHost)], {
    env: { ...process.env, SAKER_ADMIN_PASSWORD: password },
    stdio: ["ignore", "inherit", "inherit"],
  });
  beforeEarlyEnd(() => child.kill("SIGKILL"));
  const url = `http://${http}`;
  await healthy(url, child);
  return {
    url,
    password,
    ...sender(trapper),
    stop: async () => {
      await ended(child);
      rmSync(data, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.on("error", fail);
    server.listen(0, ADDRESS, () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => done(port));
    });
  });
}

async function healthy(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + STEP_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    const answer = await fetch(`${url}/health`).catch(() => undefined);
    if (answer?.status === 200) return;
    if (Date.now() > deadline) throw new Error("the server is not healthy in time");
    await new Promise((done) => setTimeout(done, 100));
  }
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    if (child.exitCode !== null) return done();
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    child.on("exit", () => {
      clearTimeout(timer);
      done();
    });
    child.kill("SIGTERM");
  });
}

const HEADER_BYTES = 13;

/** The sender protocol: ZBXD, flags 1, length, JSON. */
function sender(address: string) {
  const at = address.lastIndexOf(":");
  const [host, port] = [address.slice(0, at), Number(address.slice(at + 1))];
  // A second value of the same time would be taken for the first one once more.
  let sent = 0;
  const sendAll = (values: readonly Sent[]): Promise<void> =>
    new Promise((done, fail) => {
      const data = values.map(({ clock, ...it }) => {
        sent += 1;
        return { ...it, clock, ns: clock === undefined ? undefined : (sent % 1_000) * 1_000_000 };
      });
      const body = Buffer.from(JSON.stringify({ request: "sender data", data }));
      const header = Buffer.alloc(HEADER_BYTES);
      header.write("ZBXD\x01", "latin1");
      header.writeUInt32LE(body.length, 5);
      const socket = createConnection(port, host, () =>
        socket.write(Buffer.concat([header, body])),
      );
      const parts: Buffer[] = [];
      socket.on("data", (part) => parts.push(part));
      socket.on("error", fail);
      socket.on("close", () => {
        const answer = Buffer.concat(parts).subarray(HEADER_BYTES).toString();
        step("values");
        if (answer.includes(`processed: ${values.length};`)) done();
        else fail(new Error(`the values were not taken: ${answer}`));
      });
    });
  return {
    send: (name: string, key: string, value: string, clock?: number) =>
      sendAll([{ host: name, key, value, clock }]),
    sendAll,
  };
}
