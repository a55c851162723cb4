// Whether the user may change an object, where that differs from one object to another.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { keys } from "@/api/query-keys";
import { fetchEditable, type MethodName, type RightsKind } from "@/api/rights";
import type { Id, SessionUser } from "@/api/types";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { Page } from "@/ui/page";
import { ReadOnlyArea, useLock, useMayCall } from "@/ui/rights";
import { LoadingState, LockedState } from "@/ui/states";
import { useMayAct } from "./role";

/**
 * Of some objects, those that the user may not change; null until the server has answered. Empty where that
 * fails: the server has the last word.
 */
export function useReadOnlyIds(kind: RightsKind, ids: readonly Id[]): readonly Id[] | null {
  const may = useMayCall();
  const query = useEditable(kind, may(`${kind}.update`) ? ids : []);
  if (query.isLoading) return null;
  return query.data === undefined ? [] : ids.filter((id) => !query.data.has(id));
}

function useEditable(kind: RightsKind, ids: readonly Id[]) {
  const client = useQueryClient();
  const user = client.getQueryData<SessionUser | null>(keys.session);
  return useQuery({
    queryKey: keys.editable(kind, ids),
    queryFn: ({ signal }) => fetchEditable(kind, ids, signal),
    // super admins may change all
    enabled: ids.length > 0 && user != null && user.type < SUPER_ADMIN,
  });
}

/** Whether the user may write all hosts of the triggers: problems of others cannot be closed or get another severity. */
export function useWritesTriggers(triggerids: readonly Id[]): boolean {
  const query = useEditable("trigger", triggerids);
  // nothing is offered that may have to be taken back
  if (query.isLoading) return false;
  return query.data === undefined || triggerids.every((id) => query.data.has(id));
}

export interface MayExecuteProps {
  /** whose items would be checked */
  readonly hostids: readonly Id[];
  readonly children: ReactNode;
}

/** Checks are made at once for those whose role has that action, and for those who may change the hosts. */
export function MayExecute({ hostids, children }: MayExecuteProps) {
  const may = useMayAct()("invoke_execute_now");
  const mayCall = useMayCall();
  const query = useEditable("host", may ? [] : hostids);
  const owns = mayCall("host.update") && hostids.every((it) => query.data?.has(it) === true);
  return may || owns ? children : null;
}

export interface ObjectAreaProps {
  readonly kind: RightsKind;
  /** undefined of a new one */
  readonly id: Id | undefined;
  readonly children: ReactNode;
}

/** Asks for the rights of an object; an area that asks while its parent does costs no request of its own. */
export function useRightsOf(kind: RightsKind, id: Id | undefined) {
  const may = useMayCall();
  // whom the role denies it needs no look
  const isNew = id === undefined || id === "new";
  return useEditable(kind, isNew || !may(`${kind}.update`) ? [] : [id]);
}

/**
 * What is in it can be changed by those only who may change the object. It is shown once the rights are known: nobody
 * begins to change what turns out to be for looking. Then it stays, whatever becomes of a later answer.
 */
export function ObjectArea({ kind, id, children }: ObjectAreaProps) {
  const query = useRightsOf(kind, id);
  const object = `${kind} ${id}`;
  const [shown, setShown] = useState<string | undefined>(undefined);
  const isShown = shown === object || !query.isLoading;
  if (isShown && shown !== object) setShown(object);
  if (!isShown) return <LoadingState />;
  const isOthers = query.data !== undefined && id !== undefined && !query.data.has(id);
  return <ReadOnlyArea reason={isOthers ? reasonOf(kind) : undefined}>{children}</ReadOnlyArea>;
}

export interface EditableProps extends ObjectAreaProps {
  /** of an editor that is a page of its own: what the page is called in its place */
  readonly title?: string;
}

/** An editor that has nothing for looking alone: those who may not change the object read why instead. */
export function Editable({ kind, id, title, children }: EditableProps) {
  return (
    <ObjectArea kind={kind} id={id}>
      <EditorOrWhy call={id === undefined ? `${kind}.create` : `${kind}.update`} title={title}>
        {children}
      </EditorOrWhy>
    </ObjectArea>
  );
}

interface EditorOrWhyProps {
  readonly call: MethodName;
  readonly title: string | undefined;
  readonly children: ReactNode;
}

export function EditorOrWhy({ call, title, children }: EditorOrWhyProps) {
  const lock = useLock(call);
  if (lock === undefined) return children;
  const why = <LockedState>{lock}</LockedState>;
  return title === undefined ? why : <Page title={title}>{why}</Page>;
}

function reasonOf(kind: RightsKind): string {
  switch (kind) {
    case "host":
      return t("Read-only: you have no write permission for this host.");
    case "template":
      return t("Read-only: you have no write permission for this template.");
    case "trigger":
    case "graph":
      return t("Read-only: it uses items of a host for which you have no write permission.");
    default:
      return t("Read-only: you have no write permission.");
  }
}
