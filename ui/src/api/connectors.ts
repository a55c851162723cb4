// Connectors: where values and events are sent as they happen.

import { CONNECTOR } from "./generated/connector";
import { type AnswerOf, objectsOf } from "./objects";

export const CONNECTORS = objectsOf(CONNECTOR, { selects: { tags: "extend" } });

export type Connector = AnswerOf<typeof CONNECTORS>;
/** A condition on the tags of the item or event. */
export type ConnectorTag = Connector["tags"][number];
