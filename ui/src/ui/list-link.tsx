import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";

export interface ListLinkProps {
  /** an address of the pages */
  readonly to: string;
  readonly children: ReactNode;
  readonly title?: string;
  /** a middle click on the row opens it */
  readonly opensRow?: boolean;
}

/**
 * A link in a row of a list. Lists have hundreds of them: unlike the router's own it does not follow where the page is, and
 * loads nothing before it is clicked.
 */
export function ListLink({ to, children, title, opensRow = false }: ListLinkProps) {
  const { history } = useRouter();
  const follow = (event: MouseEvent) => {
    const isPlain = !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || event.button !== 0 || !isPlain) return;
    event.preventDefault();
    history.push(to);
  };
  return (
    <a
      className="ellipsis"
      href={to}
      title={title}
      data-opens-row={opensRow || undefined}
      onClick={follow}
    >
      {children}
    </a>
  );
}
