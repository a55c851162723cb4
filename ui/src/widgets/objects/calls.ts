// What pages of one kind of objects say and ask for: one value a kind, read by its form, its page and its list.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Change, changed } from "@/api/changes";
import type { DraftOf, Objects } from "@/api/objects";
import type { StoredObject } from "@/api/rights";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyDone, notifyFailed, type Place } from "@/ui/notify";

/** Texts of one kind, already through `t`. */
export interface ObjectWords {
  /** the kind's name, "Maintenance" */
  readonly one: string;
  /** "New maintenance" */
  readonly create: string;
  /** "Delete maintenance" */
  readonly remove: string;
  /** what goes with one that is deleted */
  readonly loss: string;
  /** "There is no such maintenance." */
  readonly absent: string;
  /** "Maintenance saved" */
  readonly saved: string;
  /** "The maintenance could not be deleted." */
  readonly notRemoved: string;
}

export interface ObjectCalls<D extends object> {
  /** its name in the API, for the rights to create, change and delete it */
  readonly object: StoredObject;
  readonly words: ObjectWords;
  /** what is out of date once one was saved or deleted */
  readonly change: Change;
  readonly create: (draft: D) => Promise<Id>;
  /** fields that are not given stay as they are */
  readonly update: (id: Id, change: Partial<D>) => Promise<unknown>;
  readonly remove: (ids: readonly Id[]) => Promise<unknown>;
  /** the message for a new object, where it is not `saved`, with a link to it if its page is not opened */
  readonly created?: (id: Id, draft: D) => { readonly message: string; readonly place?: Place };
}

/** The calls of objects that the server describes, with their words. */
export function callsOf<T, N extends StoredObject & Change>(
  objects: Objects<T, N>,
  words: ObjectWords,
): ObjectCalls<DraftOf<N>> {
  return { ...objects, words, change: objects.object };
}

/** What is saved: a new object, or what changed of one. */
export type ObjectSave<D> =
  | { readonly draft: D }
  | { readonly id: Id; readonly change: Partial<D> };

/** Saves, under an id or as a new one, and deletes; `onDone` after either, with the id of a new one. */
export function useObjectMutations<D extends object>(
  calls: ObjectCalls<D>,
  onDone: (created?: Id) => void,
  onDeleted: () => void = onDone,
) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: async (saved: ObjectSave<D>) => {
      if ("draft" in saved) return calls.create(saved.draft);
      await calls.update(saved.id, saved.change);
      return undefined;
    },
    onSuccess: (created, saved) => {
      const note =
        created !== undefined && "draft" in saved
          ? calls.created?.(created, saved.draft)
          : undefined;
      notifyDone(note?.message ?? calls.words.saved, note?.place);
      void changed(client, calls.change);
      onDone(created);
    },
  });
  const remove = useMutation({
    mutationFn: (id: Id) => calls.remove([id]),
    onSuccess: () => {
      notifyDone(t("Deleted"));
      void changed(client, calls.change);
      onDeleted();
    },
    onError: (error) => notifyFailed(calls.words.notRemoved, error),
  });
  return { save, remove };
}
