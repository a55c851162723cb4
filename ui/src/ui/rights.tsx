// What the signed-in user may change: controls that the server would refuse are not offered, and forms are for
// looking. Methods come with the session, by the server's own check; whole areas (a host, a template) are locked by
// `ReadOnlyArea`. The server has the last word.

import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use } from "react";
import { keys } from "@/api/query-keys";
import type { MethodName } from "@/api/rights";
import type { SessionUser } from "@/api/types";
import { t } from "@/lib/i18n";

/** Whether the pages may call a method for the user: `host.create`. */
export function useMayCall(): (method: MethodName) => boolean {
  const client = useQueryClient();
  const denied = client.getQueryData<SessionUser | null>(keys.session)?.denied;
  return (method) => denied?.includes(method) !== true;
}

const Area = createContext<string | undefined>(undefined);

export interface ReadOnlyAreaProps {
  /** why nothing in it can be changed; undefined: it can, unless what is around it cannot */
  readonly reason: string | undefined;
  readonly children: ReactNode;
}

export function ReadOnlyArea({ reason, children }: ReadOnlyAreaProps) {
  const around = use(Area);
  return <Area value={around ?? reason}>{children}</Area>;
}

/**
 * Why something cannot be changed by any of the methods: the area around it or the role. Undefined: it can.
 * Without methods the area alone counts.
 */
export function useLock(...methods: readonly MethodName[]): string | undefined {
  const area = use(Area);
  const may = useMayCall();
  if (area !== undefined) return area;
  if (methods.length === 0 || methods.some(may)) return undefined;
  return t("Read-only: your role does not allow changes.");
}

export interface MayProps {
  /** one of them is enough */
  readonly call: MethodName | readonly MethodName[];
  readonly children: ReactNode;
}

/** Shows what changes something where the user may change it. */
export function May({ call, children }: MayProps) {
  const lock = useLock(...(typeof call === "string" ? [call] : call));
  return lock === undefined ? children : null;
}
