// Connectors: where values and events are sent as they happen.

import type { Part, With } from "./described";
import {
  CONNECTOR,
  type ConnectorCreate,
  type Connector as ConnectorRow,
  type ConnectorSelects,
} from "./generated/connector";
import { objectsOf } from "./objects";

export type Connector = With<ConnectorRow, ConnectorSelects, "tags">;
/** A condition on the tags of the item or event. */
export type ConnectorTag = Part<ConnectorSelects, "tags">;
export type ConnectorDraft = ConnectorCreate;

export const CONNECTORS = objectsOf<Connector, ConnectorDraft, "connector">(CONNECTOR, {
  selects: { tags: "extend" },
});
