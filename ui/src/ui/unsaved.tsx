// What was typed is not lost without a word: while a form differs from what it began with, leaving its page
// asks first, by links, keys and the browser's own ways. Leaving because of the form itself (saved, cancelled,
// deleted) is navigation with `ignoreBlocker`.

import { useBlocker } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { sameDraft } from "@/lib/draft";
import { t } from "@/lib/i18n";
import { formChanged, LEAVE, LOST } from "./changed-forms";
import { Confirm } from "./confirm";

interface Places {
  readonly current: { readonly pathname: string };
  readonly next: { readonly pathname: string };
}

/** Filters and ranges in the address change without leaving the page. */
function leavesPage({ current, next }: Places): boolean {
  return current.pathname !== next.pathname;
}

export interface UnsavedGuardProps {
  readonly draft: unknown;
  /** what it is compared with; without it what it was at first */
  readonly base?: unknown;
}

export function UnsavedGuard({ draft, base }: UnsavedGuardProps) {
  const [first] = useState(draft);
  const changed = !sameDraft(base ?? first, draft);
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
