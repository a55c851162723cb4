// The changes of one object, the newest first, with the former value of each field where the log has it.

import { useQuery } from "@tanstack/react-query";
import { fetchHistoryOf } from "@/api/audit";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { withBefore } from "./details";

/** As many as a person looks through. */
const LIMIT = 100;
/** The id of what is no object, such as a failed login. */
const NO_OBJECT = "0";

export function useHistoryOf(resourcetype: string, resourceid: Id) {
  return useQuery({
    queryKey: keys.auditOf(resourcetype, resourceid),
    queryFn: async ({ signal }) => {
      const records = await fetchHistoryOf(resourcetype, resourceid, LIMIT, signal);
      const changes = withBefore(records);
      return records.map((it, at) => ({ ...it, changes: changes[at] ?? [] }));
    },
    enabled: resourceid !== NO_OBJECT,
    // what was saved a moment ago is in it
    staleTime: 0,
  });
}
