// What the role of the signed-in user lets do, and how he wants lists.

import { useQueryClient } from "@tanstack/react-query";
import { keys } from "@/api/query-keys";
import type { SessionUser } from "@/api/types";

/** Whether the role has an action, by Zabbix's name; the server has the last word. */
export function useMayAct(): (action: string) => boolean {
  const client = useQueryClient();
  const user = client.getQueryData<SessionUser | null>(keys.session);
  return (action) => user?.actions?.includes(action) ?? true;
}

/** The user's setting `rows_per_page`: how many rows a long list fetches at once. */
export function useRowsPerPage(): number {
  const client = useQueryClient();
  return client.getQueryData<SessionUser | null>(keys.session)?.rows_per_page ?? 50;
}

/** Actions that an update of a problem may consist of. */
export const PROBLEM_ACTIONS: readonly string[] = [
  "acknowledge_problems",
  "close_problems",
  "change_severity",
  "add_problem_comments",
  "suppress_problems",
  "change_problem_ranking",
];
