// The one WebSocket of the tab: what is wanted is declared, the socket is opened, re-opened with growing
// pauses, and all subscriptions are sent again each time. Messages carry deltas only, so every (re)connect is announced
// as `onOpen`: after a lost connection (`losses`) it may be another server, and listeners fetch their snapshot again.

import { isRecord } from "@/lib/columns";
import type { Id } from "./types";

export type StreamState = "connecting" | "live" | "offline";
export type StreamMessage = Record<string, unknown> & { readonly type: string };
export type MessageListener = (message: StreamMessage) => void;

export interface SocketLike {
  onopen: (() => void) | null;
  onclose: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  send(text: string): void;
  close(): void;
}

export interface Wants {
  /** changes of problems, for readers that hold all of them */
  readonly problems?: boolean;
  /** how many problems are open */
  readonly counts?: boolean;
  readonly overview?: boolean;
  /** that availability of hosts changed */
  readonly availability?: boolean;
  readonly latest?: readonly Id[];
  /** operational data of these problems, as it changes */
  readonly opdata?: readonly Id[];
}

const BACKOFF_MS = [500, 1000, 2000, 5000, 10_000, 15_000];
// several views change their wants in one commit; they go out together
const SUBSCRIBE_DELAY_MS = 50;

export class Stream {
  state: StreamState = "offline";
  /** connections that were lost, or did not come about */
  losses = 0;
  private socket: SocketLike | undefined;
  private attempts = 0;
  private running = false;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private pending: ReturnType<typeof setTimeout> | undefined;
  private readonly wants = new Map<symbol, Wants>();
  private readonly listeners = new Set<MessageListener>();
  private readonly openListeners = new Set<() => void>();
  private readonly stateListeners = new Set<() => void>();
  private readonly connect: () => SocketLike;

  constructor(connect: () => SocketLike) {
    this.connect = connect;
  }

  isLive = (): boolean => this.state === "live";

  start(): void {
    if (this.running) return;
    this.running = true;
    this.open();
  }

  stop(): void {
    this.running = false;
    clearTimeout(this.retry);
    clearTimeout(this.pending);
    this.pending = undefined;
    const socket = this.socket;
    this.socket = undefined;
    if (socket !== undefined) {
      socket.onclose = null;
      socket.close();
    }
    this.setState("offline");
  }

  /** Declares what to receive until the returned function is called. */
  want(wants: Wants): () => void {
    const token = Symbol("want");
    this.wants.set(token, wants);
    this.subscribeSoon();
    return () => {
      this.wants.delete(token);
      this.subscribeSoon();
    };
  }

  onMessage(listener: MessageListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  onOpen(listener: () => void): () => void {
    this.openListeners.add(listener);
    return () => this.openListeners.delete(listener);
  }

  onState(listener: () => void): () => void {
    this.stateListeners.add(listener);
    return () => this.stateListeners.delete(listener);
  }

  private setState(state: StreamState): void {
    if (this.state === state) return;
    this.state = state;
    for (const listener of this.stateListeners) listener();
  }

  private open(): void {
    this.setState("connecting");
    const socket = this.connect();
    this.socket = socket;
    socket.onopen = () => {
      this.attempts = 0;
      this.setState("live");
      this.subscribe();
      for (const listener of this.openListeners) listener();
    };
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = () => {
      this.socket = undefined;
      if (!this.running) return;
      this.losses += 1;
      this.setState("offline");
      const pause = BACKOFF_MS[Math.min(this.attempts, BACKOFF_MS.length - 1)] ?? 15_000;
      this.attempts += 1;
      // half of the pause is random: after a restart of the server not every tab comes at once
      this.retry = setTimeout(() => this.open(), pause / 2 + (Math.random() * pause) / 2);
    };
  }

  private receive(data: unknown): void {
    if (typeof data !== "string") return;
    let message: unknown;
    try {
      message = JSON.parse(data);
    } catch {
      return;
    }
    if (!isRecord(message) || typeof message["type"] !== "string") return;
    const typed = { ...message, type: message["type"] };
    for (const listener of this.listeners) listener(typed);
  }

  /** Asks for what happened to problems after a version: the page's snapshot was older than the subscription. */
  catchUp(version: number): void {
    if (this.state !== "live" || this.socket === undefined) return;
    this.socket.send(JSON.stringify({ catch_up: { problems: version } }));
  }

  private subscribeSoon(): void {
    if (this.pending !== undefined) return;
    this.pending = setTimeout(() => {
      this.pending = undefined;
      this.subscribe();
    }, SUBSCRIBE_DELAY_MS);
  }

  private subscribe(): void {
    if (this.state !== "live" || this.socket === undefined) return;
    const itemids = new Set<Id>();
    const eventids = new Set<Id>();
    let problems = false;
    let counts = false;
    let overview = false;
    let availability = false;
    for (const want of this.wants.values()) {
      problems ||= want.problems === true;
      counts ||= want.counts === true;
      overview ||= want.overview === true;
      availability ||= want.availability === true;
      for (const id of want.latest ?? []) itemids.add(id);
      for (const id of want.opdata ?? []) eventids.add(id);
    }
    const latest = { itemids: [...itemids] };
    const opdata = { eventids: [...eventids] };
    const subscribe = { problems, counts, overview, availability, latest, opdata };
    this.socket.send(JSON.stringify({ subscribe }));
  }
}

function browserSocket(): SocketLike {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return new WebSocket(`${scheme}://${location.host}/api/v1/stream`) as unknown as SocketLike;
}

export const stream = new Stream(browserSocket);
