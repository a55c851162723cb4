// Somebody stands in: for a shift that was picked in the calendar, or for any time.

import { Button, Select, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { OncallSchedule, Shift } from "@/api/oncall";
import { sameDraft } from "@/lib/draft";
import { t } from "@/lib/i18n";
import { nowSeconds } from "@/lib/time";
import { minuteIn, parseIn } from "@/lib/zone";
import { asDialog } from "@/ui/dialog";
import { FormError, Row } from "@/ui/form";
import formClasses from "@/ui/form.module.css";
import { FormDialog } from "@/ui/form-dialog";
import { nameOptions, useUserNames } from "@/widgets/names";
import { personText } from "./calendar";
import { newOverride, type OverrideFields, overrideError } from "./draft";
import { useOverride } from "./queries";

export interface OverrideDialogProps {
  readonly schedule: OncallSchedule;
  /** that somebody else takes */
  readonly shift: Shift | undefined;
  /** in which times are written */
  readonly zone: string;
  readonly onClose: () => void;
}

/** What is over cannot be taken any more. */
function firstFields(shift: Shift | undefined, zone: string): OverrideFields {
  if (shift === undefined) return newOverride(zone);
  const [from, till] = [Number(shift.time_from), Number(shift.time_till)];
  const now = nowSeconds();
  const begin = from < now && now < till ? now : from;
  return { userid: "", from: minuteIn(begin, zone), till: minuteIn(till, zone) };
}

export const OverrideDialog = asDialog(OverrideDialogBody);

function OverrideDialogBody({ schedule, shift, zone, onClose }: OverrideDialogProps) {
  const [first] = useState(() => firstFields(shift, zone));
  const [fields, setFields] = useState(first);
  const [attempted, setAttempted] = useState(false);
  const users = useUserNames();
  const save = useOverride(schedule, onClose);
  const error = overrideError(fields, zone);
  const set = (change: Partial<OverrideFields>) =>
    setFields((before) => ({ ...before, ...change }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAttempted(true);
    if (error !== undefined) return;
    save.mutate({
      userid: fields.userid,
      time_from: String(parseIn(fields.from, zone)),
      time_till: String(parseIn(fields.till, zone)),
    });
  };
  return (
    <FormDialog title={t("Override")} changed={!sameDraft(first, fields)} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        {shift === undefined ? null : <p>{t("Instead of {who}:", { who: personText(shift) })}</p>}
        <Select
          label={t("User")}
          data={nameOptions(users.data ?? [], [fields.userid])}
          value={fields.userid === "" ? null : fields.userid}
          searchable
          limit={100}
          data-autofocus
          openOnFocus={false}
          onChange={(userid) => set({ userid: userid ?? "" })}
        />
        <Row>
          <TextInput
            label={t("From")}
            value={fields.from}
            onChange={(event) => set({ from: event.currentTarget.value })}
          />
          <TextInput
            label={t("Till")}
            value={fields.till}
            onChange={(event) => set({ till: event.currentTarget.value })}
          />
        </Row>
        <p className="dim">{t("Times are in {zone}.", { zone })}</p>
        {attempted && error !== undefined ? (
          <p className="bad" role="alert">
            {error}
          </p>
        ) : null}
        {save.error === null ? null : <FormError error={save.error} />}
        <div className={formClasses["footer"]} data-foot>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t("Save")}
          </Button>
        </div>
      </form>
    </FormDialog>
  );
}
