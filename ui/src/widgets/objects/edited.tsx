// The fields of a form while others change the same object: what they changed is said as soon as the page knows it,
// and before anything is saved; the user sees both and chooses. An untouched form follows the server.

import { Alert, Button } from "@mantine/core";
import { IconTrash, IconUsers } from "@tabler/icons-react";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { type Choice, changedMeanwhile, type Meanwhile, mergedDraft, sameDraft } from "@/lib/draft";
import { t } from "@/lib/i18n";
import { useGone, useReload } from "@/ui/states";
import { fieldName } from "./field-names";
import { MeanwhileDialog } from "./meanwhile-dialog";

// as often as anybody looks up from a form
const LOOK_MS = 10_000;

export interface MeanwhileProps<F> {
  /** fields of the object as the server has it now */
  readonly server: () => F;
  /** false of a new object, which nobody else has */
  readonly exists: boolean;
  /** as they are typed so far */
  readonly fields: F;
  /** what is to stand in the form from now on */
  readonly onTake: (fields: F) => void;
  /** `before` are the fields on the server: only what differs from them is to be sent */
  readonly onSave: (fields: F, before: F) => void;
  readonly nameOf?: ((field: string) => string) | undefined;
}

export interface MeanwhileParts<F> {
  /** what the fields were, or are on the server */
  readonly base: F;
  /** looks what the server has by now, then saves, or asks first */
  readonly submit: () => void;
  readonly checking: boolean;
  /** what was saved is what the server has */
  readonly saved: () => void;
  /** above the buttons of the form */
  readonly note: ReactNode;
}

/** For a form that keeps its fields itself. */
export function useMeanwhile<F extends object>(props: MeanwhileProps<F>): MeanwhileParts<F> {
  const { server, exists, fields, onTake, onSave, nameOf = fieldName } = props;
  const [base, setBase] = useState(server);
  const [opened, setOpened] = useState<"no" | "look" | "save">("no");
  const [checks, setChecks] = useState(0);
  const [checking, setChecking] = useState(false);
  const reload = useReload();
  const isGone = useGone() && exists;
  const now = exists ? server() : base;
  const changes = changedMeanwhile(base, now, fields);
  if (!sameDraft(base, now)) {
    const touched = !sameDraft(base, fields);
    // an untouched form shows what the server has; what both changed to the same is no difference
    if (!touched) onTake(now);
    if (!touched || changes.length === 0) setBase(now);
  }
  useLook(exists, reload);
  const latest = useRef({ base, fields, changes, onSave });
  useLayoutEffect(() => {
    latest.current = { base, fields, changes, onSave };
  });
  useEffect(() => {
    if (checks === 0) return;
    const known = latest.current;
    if (known.changes.length > 0) setOpened("save");
    else known.onSave(known.fields, known.base);
  }, [checks]);
  const submit = async () => {
    setChecking(true);
    // a server that is away refuses the save as well, and says so
    await reload().catch(() => undefined);
    setChecking(false);
    setChecks((n) => n + 1);
  };
  const take = (choices: Readonly<Record<string, Choice>>) => {
    const merged = mergedDraft(now, fields, changes, choices);
    setBase(now);
    onTake(merged);
    setOpened("no");
    if (opened === "save") onSave(merged, now);
  };
  return {
    base,
    submit: () => {
      if (!exists) onSave(fields, base);
      else if (!checking) void submit();
    },
    checking,
    saved: () => setBase(fields),
    note: isGone ? (
      <GoneNote />
    ) : changes.length === 0 ? null : (
      <>
        <MeanwhileNote changes={changes} nameOf={nameOf} onOpen={() => setOpened("look")} />
        {opened === "no" ? null : (
          <MeanwhileDialog
            changes={changes}
            nameOf={nameOf}
            saves={opened === "save"}
            onTake={take}
            onClose={() => setOpened("no")}
          />
        )}
      </>
    ),
  };
}

export type EditedProps<F> = Omit<MeanwhileProps<F>, "fields" | "onTake">;

export interface Edited<F> extends MeanwhileParts<F> {
  readonly fields: F;
  readonly set: (change: Partial<F>) => void;
  readonly setFields: (next: F | ((before: F) => F)) => void;
}

export function useEdited<F extends object>(props: EditedProps<F>): Edited<F> {
  const [fields, setFields] = useState(props.server);
  const parts = useMeanwhile({ ...props, fields, onTake: setFields });
  const set = (change: Partial<F>) => setFields((before) => ({ ...before, ...change }));
  return { ...parts, fields, set, setFields };
}

function GoneNote() {
  return (
    <Alert color="red" icon={<IconTrash size={16} />} role="status" py={6}>
      {t("Deleted by another user since you opened this form. Clone creates a new one from it.")}
    </Alert>
  );
}

/** While a form is open and looked at, what it stands on is asked for now and then. */
function useLook(exists: boolean, reload: () => Promise<void>): void {
  useEffect(() => {
    if (!exists) return;
    const timer = setInterval(() => {
      if (document.visibilityState !== "hidden") reload().catch(() => undefined);
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [exists, reload]);
}

interface MeanwhileNoteProps {
  readonly changes: readonly Meanwhile[];
  readonly nameOf: (field: string) => string;
  readonly onOpen: () => void;
}

function MeanwhileNote({ changes, nameOf, onOpen }: MeanwhileNoteProps) {
  const names = changes.map(({ field }) => nameOf(field)).join(", ");
  return (
    <Alert color="yellow" icon={<IconUsers size={16} />} role="status" py={6}>
      {t("Changed by another user since you opened this form: {names}.", { names })}{" "}
      <Button variant="default" size="compact-xs" onClick={onOpen}>
        {t("Compare")}
      </Button>
    </Alert>
  );
}
