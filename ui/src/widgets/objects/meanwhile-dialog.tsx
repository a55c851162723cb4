// What somebody else changed of an object while its form was open: field by field what it was, what it is, and, where
// the user changed it as well, which of both is meant.

import { Button, SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { type Choice, type Meanwhile, usualChoice } from "@/lib/draft";
import { t } from "@/lib/i18n";
import { asDialog, Dialog } from "@/ui/dialog";
import { LineDiff } from "@/widgets/audit/line-diff";
import classes from "./meanwhile.module.css";

export interface MeanwhileDialogProps {
  readonly changes: readonly Meanwhile[];
  readonly nameOf: (field: string) => string;
  /** the form is saved then */
  readonly saves: boolean;
  readonly onTake: (choices: Readonly<Record<string, Choice>>) => void;
  readonly onClose: () => void;
}

export const MeanwhileDialog = asDialog(MeanwhileDialogBody);

function MeanwhileDialogBody(props: MeanwhileDialogProps) {
  const { changes, nameOf, saves, onTake, onClose } = props;
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({});
  const differ = changes.some(({ mine }) => mine !== undefined);
  return (
    <Dialog opened onClose={onClose} size="lg" title={t("Changed by another user")}>
      <p>
        {differ
          ? t("Nothing is lost yet. Choose the value to keep for each field that you also changed.")
          : t("You changed other fields: both sets of changes can be kept.")}
      </p>
      <ul className={classes["changes"]} aria-label={t("Changes")}>
        {changes.map((change) => (
          <Row
            key={change.field}
            name={nameOf(change.field)}
            change={change}
            choice={choices[change.field] ?? usualChoice(change.mine?.both)}
            onChoice={(choice) => setChoices({ ...choices, [change.field]: choice })}
          />
        ))}
      </ul>
      <div className={classes["foot"]}>
        <Button variant="default" onClick={onClose}>
          {t("Back to the form")}
        </Button>
        <Button onClick={() => onTake(choices)} data-autofocus>
          {saves ? t("Save") : t("Apply to the form")}
        </Button>
      </div>
    </Dialog>
  );
}

interface RowProps {
  readonly name: string;
  readonly change: Meanwhile;
  readonly choice: Choice;
  readonly onChoice: (choice: Choice) => void;
}

function Row({ name, change: { field, before, theirs, mine }, choice, onChoice }: RowProps) {
  return (
    <li>
      <strong>{name}</strong>
      <div className={classes["side"]}>
        <span className="dim">{t("Theirs")}</span>
        <Difference field={field} before={before} after={theirs} />
      </div>
      {mine === undefined ? null : (
        <>
          <div className={classes["side"]}>
            <span className="dim">{t("Yours")}</span>
            <Difference field={field} before={before} after={mine.value} />
          </div>
          <SegmentedControl
            aria-label={t("Value to keep: {name}", { name })}
            size="xs"
            value={choice}
            onChange={(value) => onChoice(value as Choice)}
            data={[
              { value: "mine", label: t("Keep yours") },
              { value: "theirs", label: t("Take theirs") },
              ...(mine.both === undefined ? [] : [{ value: "both", label: t("Both") }]),
            ]}
          />
        </>
      )}
    </li>
  );
}

interface DifferenceProps {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

function Difference({ field, before, after }: DifferenceProps) {
  const [was, is] = [shown(field, before), shown(field, after)];
  if (was.includes("\n") || is.includes("\n")) return <LineDiff before={was} after={is} />;
  return (
    <span className={classes["values"]}>
      {was === "" ? <span className="dim">{t("empty")}</span> : <del>{was}</del>} →{" "}
      {is === "" ? <span className="dim">{t("empty")}</span> : <ins>{is}</ins>}
    </span>
  );
}

const HIDDEN = "••••••";
const SECRET = /pass|psk|secret|community|privatekey/i;
const SECRET_MACRO = "1";

/** A value for people: a line each of a list, the parts of an object by their names. Secrets are not shown. */
function shown(field: string, value: unknown): string {
  if (value === undefined || value === null || value === "") return "";
  if (SECRET.test(field)) return HIDDEN;
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.map(lineOf).join("\n");
  return Object.entries(value)
    .map(([name, part]) => lineOf({ [name]: part }))
    .join("\n");
}

function lineOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const isSecret = "macro" in value && "type" in value && value.type === SECRET_MACRO;
  return Object.entries(value)
    .filter(([name, part]) => !(name === "key" && typeof part === "number") && part !== "")
    .map(([name, part]) => {
      if (SECRET.test(name) || (isSecret && name === "value")) return `${name}: ${HIDDEN}`;
      return `${name}: ${typeof part === "object" ? JSON.stringify(part, hideSecrets) : part}`;
    })
    .join(", ");
}

function hideSecrets(name: string, value: unknown): unknown {
  return SECRET.test(name) && typeof value === "string" && value !== "" ? HIDDEN : value;
}
