// Connectors: where values and events are sent as they happen.

import * as z from "zod/mini";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

/** A condition on the tags of the item or event. */
export interface ConnectorTag {
  readonly tag: string;
  /** 0 equals, 1 does not equal, 2 contains, 3 does not contain, 12 exists, 13 does not exist */
  readonly operator: string;
  readonly value: string;
}

export interface Connector {
  readonly connectorid: Id;
  readonly name: string;
  readonly url: string;
  /** 0 item values, 1 events */
  readonly data_type: string;
  /** bits: 1 float, 2 character, 4 log, 8 unsigned, 16 text, 32 binary */
  readonly item_value_type: string;
  /** 0 none, 1 basic, 2 NTLM, 3 Kerberos, 4 digest, 5 bearer */
  readonly authtype: string;
  readonly username: string;
  readonly password: string;
  readonly token: string;
  readonly max_records: string;
  readonly max_senders: string;
  readonly max_attempts: string;
  readonly attempt_interval: string;
  readonly timeout: string;
  readonly http_proxy: string;
  readonly verify_peer: string;
  readonly verify_host: string;
  readonly ssl_cert_file: string;
  readonly ssl_key_file: string;
  readonly ssl_key_password: string;
  readonly description: string;
  /** "1": enabled */
  readonly status: string;
  /** 0 and/or, 2 or */
  readonly tags_evaltype: string;
  readonly tags: readonly ConnectorTag[];
}

export type ConnectorDraft = Omit<Connector, "connectorid">;

const connector: z.ZodMiniType<Connector> = z.object({
  connectorid: z.string(),
  name: z.string(),
  url: z.string(),
  data_type: z.string(),
  item_value_type: z.string(),
  authtype: z.string(),
  username: z.string(),
  password: z.string(),
  token: z.string(),
  max_records: z.string(),
  max_senders: z.string(),
  max_attempts: z.string(),
  attempt_interval: z.string(),
  timeout: z.string(),
  http_proxy: z.string(),
  verify_peer: z.string(),
  verify_host: z.string(),
  ssl_cert_file: z.string(),
  ssl_key_file: z.string(),
  ssl_key_password: z.string(),
  description: z.string(),
  status: z.string(),
  tags_evaltype: z.string(),
  tags: z.array(z.object({ tag: z.string(), operator: z.string(), value: z.string() })),
});

export async function fetchConnectors(signal?: AbortSignal): Promise<readonly Connector[]> {
  return call(
    "connector.get",
    { output: "extend", selectTags: "extend", sortfield: "name" },
    schema.listOf(connector),
    signal,
  );
}

export async function fetchConnector(
  connectorid: Id,
  signal?: AbortSignal,
): Promise<Connector | undefined> {
  const found = await call(
    "connector.get",
    { connectorids: [connectorid], output: "extend", selectTags: "extend" },
    schema.listOf(connector),
    signal,
  );
  return found[0];
}

export async function createConnector(draft: ConnectorDraft): Promise<Id> {
  const ids = await call("connector.create", draft, schema.createdIds("connectorids"));
  return ids[0] ?? "";
}

export async function updateConnector(
  connectorid: Id,
  draft: Partial<ConnectorDraft>,
): Promise<void> {
  await call("connector.update", { connectorid, ...draft }, schema.changed);
}

export async function deleteConnectors(connectorids: readonly Id[]): Promise<void> {
  await call("connector.delete", connectorids, schema.changed);
}
