// The page of one object: its form once it is there, or that there is none.

import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Page } from "@/ui/page";
import { EmptyState, ObjectGate } from "@/ui/states";
import { ChangeHistory, type ChangeHistoryProps } from "@/widgets/audit/change-history";
import type { ObjectWords } from "./calls";

export interface ObjectPageProps<T> {
  /** "new" of one that is to be made */
  readonly id: string;
  readonly words: ObjectWords;
  readonly query: UseQueryResult<T | null>;
  readonly actions?: ReactNode;
  /** offers who changed it */
  readonly audited?: ChangeHistoryProps["kind"];
  /** what it is called, where that is no field `name` */
  readonly nameOf?: (object: T) => string;
  /** undefined of a new one */
  readonly children: (object: T | undefined) => ReactNode;
}

export function ObjectPage<T extends object>(props: ObjectPageProps<T>) {
  const { id, words, query, actions, audited, nameOf = nameIn, children } = props;
  if (id === "new") {
    return (
      <Page title={words.create} scroll>
        {children(undefined)}
      </Page>
    );
  }
  return (
    <Page
      title={query.data ? nameOf(query.data) : words.one}
      actions={
        <>
          {audited === undefined ? null : <ChangeHistory kind={audited} id={id} />}
          {actions}
        </>
      }
      scroll
    >
      <ObjectGate query={query} absent={<EmptyState title={words.absent} />}>
        {children}
      </ObjectGate>
    </Page>
  );
}

function nameIn(object: object): string {
  return "name" in object ? String(object.name) : "";
}
