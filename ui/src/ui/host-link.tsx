import type { Id } from "@/api/types";
import { ListLink } from "./list-link";

export interface HostLinkProps {
  readonly hostid: Id;
  readonly host: string;
}

/** The name of a host in a list, leading to its page. */
export function HostLink({ hostid, host }: HostLinkProps) {
  return <ListLink to={`/hosts/${hostid}`}>{host}</ListLink>;
}
