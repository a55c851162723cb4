import { Button, Checkbox, Modal, Select, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changed } from "@/api/changes";
import { ACKNOWLEDGE, type Acknowledgement } from "@/api/events";
import type { ProblemRow } from "@/api/problem-table";
import { plural, t } from "@/lib/i18n";
import { SEVERITIES_WORST_FIRST, severityName } from "@/lib/severity";
import { notifyDone } from "@/ui/notify";
import classes from "./problems.module.css";
import { useAcknowledge } from "./queries";

export interface AcknowledgeDialogProps {
  readonly problems: readonly ProblemRow[];
  readonly onClose: () => void;
}

interface Draft {
  readonly message: string;
  readonly acknowledgement: "keep" | "acknowledge" | "unacknowledge";
  readonly severity: string;
  readonly close: boolean;
}

/** The call that the draft stands for; undefined when it would change nothing. */
export function toAcknowledgement(
  draft: Draft,
  eventids: readonly string[],
): Acknowledgement | undefined {
  const message = draft.message.trim();
  const change = draft.severity !== "";
  const action =
    (draft.close ? ACKNOWLEDGE.close : 0) |
    (draft.acknowledgement === "keep" ? 0 : ACKNOWLEDGE[draft.acknowledgement]) |
    (message === "" ? 0 : ACKNOWLEDGE.message) |
    (change ? ACKNOWLEDGE.severity : 0);
  if (action === 0) return undefined;
  return {
    eventids,
    action,
    ...(message === "" ? {} : { message }),
    ...(change ? { severity: Number(draft.severity) } : {}),
  };
}

export function AcknowledgeDialog({ problems, onClose }: AcknowledgeDialogProps) {
  const client = useQueryClient();
  const open = problems.filter((it) => it.rClock === 0);
  const closable = open.length > 0 && open.every((it) => it.manualClose);
  const acknowledged = problems.every((it) => it.acknowledged);
  const [draft, setDraft] = useState<Draft>({
    message: "",
    acknowledgement: acknowledged ? "keep" : "acknowledge",
    severity: "",
    close: false,
  });
  const mutation = useAcknowledge(() => {
    notifyDone(plural(problems.length, "Updated 1 problem", "Updated {n} problems"));
    void changed(client, "event");
    onClose();
  });
  const update = toAcknowledgement(
    draft,
    problems.map((it) => it.eventid),
  );
  const [first] = problems;
  return (
    <Modal
      opened
      onClose={onClose}
      title={plural(problems.length, "Update 1 problem", "Update {n} problems")}
      size="md"
      // a click beside it does not throw away what was typed
      closeOnClickOutside={draft.message === ""}
    >
      <form
        className={classes["dialog"]}
        onSubmit={(event) => {
          event.preventDefault();
          if (update !== undefined) mutation.mutate(update);
        }}
      >
        {problems.length === 1 && first !== undefined ? (
          <p className="dim">
            {first.host}: {first.name}
          </p>
        ) : null}
        <Textarea
          label={t("Message")}
          rows={3}
          data-autofocus
          value={draft.message}
          onChange={(event) => setDraft({ ...draft, message: event.currentTarget.value })}
        />
        <Select
          label={t("Acknowledgement")}
          data={[
            { value: "acknowledge", label: t("Acknowledge") },
            { value: "unacknowledge", label: t("Take back") },
            { value: "keep", label: t("Leave as it is") },
          ]}
          value={draft.acknowledgement}
          onChange={(value) =>
            setDraft({ ...draft, acknowledgement: (value ?? "keep") as Draft["acknowledgement"] })
          }
        />
        <Select
          label={t("Severity")}
          data={[
            { value: "", label: t("Leave as it is") },
            ...SEVERITIES_WORST_FIRST.map((it) => ({
              value: String(it),
              label: severityName(it),
            })),
          ]}
          value={draft.severity}
          onChange={(severity) => setDraft({ ...draft, severity: severity ?? "" })}
        />
        <Checkbox
          label={t("Close problem")}
          description={closable ? undefined : t("Its trigger does not allow manual closing.")}
          disabled={!closable}
          checked={draft.close}
          onChange={(event) => setDraft({ ...draft, close: event.currentTarget.checked })}
        />
        <div className={classes["dialogFooter"]}>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit" disabled={update === undefined} loading={mutation.isPending}>
            {t("Update")}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
