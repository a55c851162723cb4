import { Button, Checkbox, Select, Textarea, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { changed } from "@/api/changes";
import { ACKNOWLEDGE, type Acknowledgement } from "@/api/events";
import type { ProblemRow } from "@/api/problem-table";
import type { Id } from "@/api/types";
import { sameDraft } from "@/lib/draft";
import { plural, t } from "@/lib/i18n";
import { intervalSeconds } from "@/lib/interval";
import { SEVERITIES_WORST_FIRST, severityName } from "@/lib/severity";
import { asDialog } from "@/ui/dialog";
import { FormDialog } from "@/ui/form-dialog";
import { SeverityMark } from "@/ui/severity-mark";
import { useWritesTriggers } from "@/widgets/editable";
import { useMayAct } from "@/widgets/role";
import { previewOf } from "./preview";
import classes from "./problems.module.css";
import { useAcknowledge } from "./queries";
import { type Undo, undoOf } from "./undo";

export interface AcknowledgeDialogProps {
  readonly problems: readonly ProblemRow[];
  /** of these problems, and not among them */
  readonly symptoms: readonly ProblemRow[];
  /** problems that may be the cause of these, whose host and name have the text */
  readonly causesFor: (text: string) => readonly ProblemRow[];
  /** what takes the update back again */
  readonly onUpdated: (n: number, undo: Undo) => void;
  readonly onClose: () => void;
}

interface Draft {
  readonly message: string;
  readonly acknowledgement: "keep" | "acknowledge" | "unacknowledge";
  readonly severity: string;
  readonly close: boolean;
  readonly suppression: "keep" | "for" | "forever" | "unsuppress";
  /** as it is typed, of a suppression that ends: "2h" */
  readonly period: string;
  readonly rank: "keep" | "cause" | "symptom";
  /** of a symptom */
  readonly cause: Id | null;
}

export const EMPTY_DRAFT: Draft = {
  message: "",
  acknowledgement: "keep",
  severity: "",
  close: false,
  suppression: "keep",
  period: "1h",
  rank: "keep",
  cause: null,
};

/** The call that the draft stands for; undefined when it would change nothing, or lacks something. */
export function toAcknowledgement(
  given: Draft,
  eventids: readonly string[],
  now: number,
): Acknowledgement | undefined {
  const draft = withoutUseless(given);
  const message = draft.message.trim();
  const change = draft.severity !== "";
  const suppressUntil = suppressedUntil(draft, now);
  const cause = draft.rank === "symptom" ? draft.cause : undefined;
  if (suppressUntil === null || cause === null) return undefined;
  const action =
    (draft.close ? ACKNOWLEDGE.close : 0) |
    (draft.acknowledgement === "keep" ? 0 : ACKNOWLEDGE[draft.acknowledgement]) |
    (message === "" ? 0 : ACKNOWLEDGE.message) |
    (change ? ACKNOWLEDGE.severity : 0) |
    (suppressUntil === undefined ? 0 : ACKNOWLEDGE.suppress) |
    (draft.suppression === "unsuppress" ? ACKNOWLEDGE.unsuppress : 0) |
    (draft.rank === "keep" ? 0 : ACKNOWLEDGE[draft.rank]);
  if (action === 0) return undefined;
  return {
    eventids,
    action,
    ...(message === "" ? {} : { message }),
    ...(change ? { severity: Number(draft.severity) } : {}),
    ...(suppressUntil === undefined ? {} : { suppress_until: suppressUntil }),
    ...(cause === undefined ? {} : { cause_eventid: cause }),
  };
}

/** A problem that is closed has nothing to suppress: the server refuses both. */
function withoutUseless(draft: Draft): Draft {
  return draft.close ? { ...draft, suppression: "keep" } : draft;
}

/** Of a draft that suppresses; null while it does not say for how long. */
function suppressedUntil(draft: Draft, now: number): number | null | undefined {
  if (draft.suppression === "forever") return 0;
  if (draft.suppression !== "for") return undefined;
  const period = intervalSeconds(draft.period) ?? 0;
  return period > 0 ? now + period : null;
}

export const AcknowledgeDialog = asDialog(AcknowledgeDialogBody);

function AcknowledgeDialogBody(props: AcknowledgeDialogProps) {
  const { problems, symptoms, causesFor, onUpdated, onClose } = props;
  const client = useQueryClient();
  const open = useMemo(() => problems.filter((it) => it.rClock === 0), [problems]);
  const may = useMayAct();
  const { cannotClose, cannotRate } = useObstacles(open);
  const acknowledged = problems.every((it) => it.acknowledged);
  const [begun] = useState<Draft>({
    ...EMPTY_DRAFT,
    acknowledgement: acknowledged || !may("acknowledge_problems") ? "keep" : "acknowledge",
  });
  const [draft, setDraft] = useState(begun);
  const mutation = useAcknowledge((made) => {
    onUpdated(problems.length, undoOf(problems, made, symptoms));
    void changed(client, "event");
    onClose();
  });
  const update = toAcknowledgement(
    draft,
    problems.map((it) => it.eventid),
    Math.floor(Date.now() / 1000),
  );
  const [first] = problems;
  return (
    <FormDialog
      title={plural(problems.length, "Update 1 problem", "Update {n} problems")}
      changed={!sameDraft(begun, draft)}
      onClose={onClose}
    >
      <form
        className={classes["dialog"]}
        onKeyDown={(event) => {
          // Enter is a new line of the message
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.currentTarget.requestSubmit();
          }
        }}
        onSubmit={(event) => {
          event.preventDefault();
          if (update !== undefined && !mutation.isPending) mutation.mutate(update);
        }}
      >
        {problems.length === 1 && first !== undefined ? (
          <p className="dim">
            {first.host}: {first.name}
          </p>
        ) : null}
        <Textarea
          label={t("Message")}
          disabled={!may("add_problem_comments")}
          rows={3}
          data-autofocus
          value={draft.message}
          onChange={(event) => setDraft({ ...draft, message: event.currentTarget.value })}
        />
        <Select
          label={t("Acknowledgement")}
          disabled={!may("acknowledge_problems")}
          data={[
            { value: "acknowledge", label: t("Acknowledge") },
            { value: "unacknowledge", label: t("Unacknowledge") },
            { value: "keep", label: t("Leave as it is") },
          ]}
          value={draft.acknowledgement}
          onChange={(value) =>
            setDraft({ ...draft, acknowledgement: (value ?? "keep") as Draft["acknowledgement"] })
          }
        />
        <Select
          label={t("Severity")}
          disabled={cannotRate !== undefined}
          description={cannotRate}
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
        <Select
          label={t("Suppression")}
          disabled={!may("suppress_problems")}
          data={[
            { value: "keep", label: t("Leave as it is") },
            { value: "for", label: t("Suppress for a period") },
            { value: "forever", label: t("Suppress indefinitely") },
            { value: "unsuppress", label: t("Unsuppress") },
          ]}
          value={draft.suppression}
          onChange={(value) =>
            setDraft({ ...draft, suppression: (value ?? "keep") as Draft["suppression"] })
          }
        />
        {draft.suppression === "for" ? (
          <TextInput
            label={t("Suppress for")}
            description={t("Such as 30m, 8h or 2d")}
            value={draft.period}
            error={
              (intervalSeconds(draft.period) ?? 0) > 0
                ? undefined
                : t("Enter a period such as 30m, 8h or 2d.")
            }
            onChange={(event) => setDraft({ ...draft, period: event.currentTarget.value })}
          />
        ) : null}
        {may("change_problem_ranking") ? (
          <RankFields draft={draft} onChange={setDraft} causesFor={causesFor} />
        ) : null}
        <Checkbox
          label={t("Close problem")}
          description={cannotClose}
          disabled={cannotClose !== undefined}
          checked={draft.close}
          onChange={(event) => setDraft({ ...draft, close: event.currentTarget.checked })}
        />
        {problems.length > 1 && update !== undefined ? (
          <UpdatePreview problems={problems} update={update} />
        ) : null}
        <div className={classes["dialogFooter"]}>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit" disabled={update === undefined} loading={mutation.isPending}>
            {t("Update")}
          </Button>
        </div>
      </form>
    </FormDialog>
  );
}

/** Why problems that are open cannot be closed by hand, or get another severity; undefined: they can. */
function useObstacles(open: readonly ProblemRow[]) {
  const may = useMayAct();
  const triggerids = useMemo(() => [...new Set(open.map((it) => it.objectid))], [open]);
  const writes = useWritesTriggers(triggerids);
  const foreign = writes ? undefined : t("You have no write permission for the host.");
  const isClosable = open.length > 0 && open.every((it) => it.manualClose);
  const byTrigger = isClosable ? undefined : t("The trigger does not allow manual close.");
  return {
    cannotClose: may("close_problems")
      ? (foreign ?? byTrigger)
      : t("Your role does not allow you to close problems."),
    cannotRate: may("change_severity")
      ? foreign
      : t("Your role does not allow you to change severity."),
  };
}

interface UpdatePreviewProps {
  readonly problems: readonly ProblemRow[];
  readonly update: Acknowledgement;
}

function UpdatePreview({ problems, update }: UpdatePreviewProps) {
  const { changes, bySeverity, byHost, otherHosts } = previewOf(problems, update);
  const others = plural(otherHosts, "1 other host", "{n} other hosts");
  const hosts = byHost.map(([host, n]) => `${host} ${n}`).join(", ");
  return (
    <section className={classes["preview"]} aria-label={t("Changes")}>
      <ul>
        {changes.map((it) => (
          <li key={it}>{it}</li>
        ))}
      </ul>
      <p className={classes["marks"]}>
        {bySeverity.map(([severity, n]) => (
          <span key={severity} title={severityName(severity)}>
            <SeverityMark severity={severity} /> {n}
          </span>
        ))}
      </p>
      <p className="dim">{otherHosts === 0 ? hosts : `${hosts}, ${others}`}</p>
    </section>
  );
}

interface RankFieldsProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly causesFor: (text: string) => readonly ProblemRow[];
}

function RankFields({ draft, onChange, causesFor }: RankFieldsProps) {
  const [text, setText] = useState("");
  const label = (it: ProblemRow) => `${it.host}: ${it.name}`;
  const offered = causesFor(draft.cause === null ? text : "");
  return (
    <>
      <Select
        label={t("Rank")}
        data={[
          { value: "keep", label: t("Leave as it is") },
          { value: "cause", label: t("Cause") },
          { value: "symptom", label: t("Symptom of another problem") },
        ]}
        value={draft.rank}
        onChange={(value) => onChange({ ...draft, rank: (value ?? "keep") as Draft["rank"] })}
      />
      {draft.rank === "symptom" ? (
        <Select
          label={t("Its cause")}
          searchable
          // found by the host and the name; the list has more than fit
          filter={({ options }) => options}
          data={offered.map((it) => ({ value: it.eventid, label: label(it) }))}
          value={draft.cause}
          onSearchChange={setText}
          onChange={(cause) => onChange({ ...draft, cause })}
          nothingFoundMessage={t("No problem matches.")}
        />
      ) : null}
    </>
  );
}
