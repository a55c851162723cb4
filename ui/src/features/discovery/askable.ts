import { AGENT_ACTIVE, DEPENDENT, itemKind } from "@/lib/item-types";

/** Whether a rule can be asked now, itself or by its master; others wait for data from a sender. */
export function isAskable({ type }: { readonly type: number | string }): boolean {
  const { type: code, polled } = itemKind(type);
  return code === DEPENDENT || (polled && code !== AGENT_ACTIVE);
}
