// Configuration as files.

import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

export type ExportFormat = "yaml" | "json" | "xml";

/** what is exported, as the API calls it */
export type ExportKind = "templates" | "hosts" | "maps" | "images";

export async function exportConfiguration(
  kind: ExportKind,
  ids: readonly Id[],
  format: ExportFormat,
): Promise<string> {
  const params = { format, prettyprint: true, options: { [kind]: ids } };
  return call("configuration.export", params, schema.exportedText);
}
