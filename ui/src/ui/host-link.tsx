import { useRouter } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import type { Id } from "@/api/types";

export interface HostLinkProps {
  readonly hostid: Id;
  readonly host: string;
}

/** The name of a host in a list, leading to its page. Lists have hundreds of them: unlike the router's link it does not follow where the page is. */
export function HostLink({ hostid, host }: HostLinkProps) {
  const router = useRouter();
  const follow = (event: MouseEvent) => {
    const isPlain = !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || event.button !== 0 || !isPlain) return;
    event.preventDefault();
    void router.navigate({ to: "/hosts/$hostid", params: { hostid } });
  };
  return (
    <a className="ellipsis" href={`/hosts/${hostid}`} onClick={follow}>
      {host}
    </a>
  );
}
