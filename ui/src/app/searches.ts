// What the addresses of lists keep that stand in several places.

export const PROBLEM_SEARCH = [
  "sev",
  "q",
  "status",
  "ack",
  "suppressed",
  "hosts",
  "groups",
  "tags",
  "age",
  "sort",
  "timeline",
  "by",
  "event",
] as const;
export const LATEST_SEARCH = ["q", "hosts", "groups", "show", "item"] as const;

export const BOARD_SEARCH = ["page", "from", "to", "host", "full"] as const;
