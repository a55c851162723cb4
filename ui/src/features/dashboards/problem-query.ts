// The filter of problems that many widgets share, read from their fields.

import type { ProblemsQuery } from "@/api/widgets";
import { useIds } from "./context";
import { type Fields, tagsOf } from "./fields";

// what one widget counts and lists
export const PROBLEMS_MAX = 5000;

export function useProblemQuery(fields: Fields, limit = PROBLEMS_MAX): ProblemsQuery {
  const hostids = useIds(fields, "hostids");
  const groupids = useIds(fields, "groupids");
  const severities = fields.numbers("severities");
  const tags = tagsOf(fields, "tags");
  const withoutGroupids = fields.ids("exclude_groupids");
  return {
    hostids,
    groupids,
    withoutGroupids,
    severities,
    tags,
    evaltype: fields.number("evaltype", 0),
    name: fields.text("problem"),
    suppressed: fields.flag("show_suppressed", false),
    limit,
  };
}
