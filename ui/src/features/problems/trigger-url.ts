// The address that a trigger has for the readers of its problems.

import type { ProblemRow } from "@/api/problem-table";

/** What is known of the problem is put in; undefined: there is none, or something is left that is not known here. */
export function triggerUrl(
  url: string,
  problem: Pick<ProblemRow, "eventid" | "objectid" | "hostid" | "host">,
): string | undefined {
  const values: Readonly<Record<string, string>> = {
    "EVENT.ID": problem.eventid,
    "TRIGGER.ID": problem.objectid,
    "HOST.ID": problem.hostid,
    "HOST.NAME": problem.host,
  };
  const made = url
    .trim()
    .replace(/\{([A-Z.]+)1?\}/g, (whole, name: string) =>
      values[name] === undefined ? whole : encodeURIComponent(values[name]),
    );
  return /^https?:\/\//.test(made) && !made.includes("{") ? made : undefined;
}
