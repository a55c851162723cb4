// What was typed is not lost without a word: while a form differs from what it began with, leaving its page
// asks first, by links, keys and the browser's own ways. Leaving because of the form itself (saved, cancelled,
// deleted) is navigation with `ignoreBlocker`.

import { useBlocker } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { t } from "@/lib/i18n";
import { formChanged, LEAVE, LOST } from "./changed-forms";
import { Confirm } from "./confirm";

/** Whether two drafts are saved alike: unset fields, and keys of lines in lists, do not matter. */
export function sameDraft(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a, b] as [Record<string, unknown>, Record<string, unknown>];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every(
    (name) => isLineKey(name, left[name], right[name]) || sameDraft(left[name], right[name]),
  );
}

// keys of items are texts
function isLineKey(name: string, a: unknown, b: unknown): boolean {
  return name === "key" && typeof a === "number" && typeof b === "number";
}

interface Places {
  readonly current: { readonly pathname: string };
  readonly next: { readonly pathname: string };
}

/** Filters and ranges in the address change without leaving the page. */
function leavesPage({ current, next }: Places): boolean {
  return current.pathname !== next.pathname;
}

export function UnsavedGuard({ draft }: { readonly draft: unknown }) {
  const [first] = useState(draft);
  const changed = !sameDraft(first, draft);
  useEffect(() => (changed ? formChanged() : undefined), [changed]);
  const leaving = useBlocker({
    shouldBlockFn: leavesPage,
    enableBeforeUnload: changed,
    disabled: !changed,
    withResolver: true,
  });
  return (
    <Confirm
      opened={leaving.status === "blocked"}
      title={LEAVE}
      action={t("Leave")}
      cancel={t("Stay")}
      onConfirm={() => leaving.proceed?.()}
      onClose={() => leaving.reset?.()}
    >
      {LOST}
    </Confirm>
  );
}
