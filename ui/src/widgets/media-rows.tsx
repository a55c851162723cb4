// Where messages reach a user: a section a media, and a button for another one.

import { ActionIcon, Button, Checkbox, Select, Switch } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import type { Media, MediaTypeName } from "@/api/media";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { SEVERITIES, severityName } from "@/lib/severity";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { type Keyed, keyed, withAt, withoutAt } from "./keyed";
import classes from "./media-rows.module.css";
import { checkOr } from "./objects/fields";
import type { FormParts } from "./objects/object-form";

const EMAIL = "0";

export interface MediaRowsProps {
  readonly rows: readonly Keyed<Media>[];
  readonly types: readonly MediaTypeName[];
  readonly onChange: (rows: readonly Keyed<Media>[]) => void;
  /** what it means to have none */
  readonly none: string;
  readonly attempted: boolean;
  /** what the server says of a field: `/1/medias/2/period` */
  readonly refusal: FormParts<unknown>["refusal"];
}

export function MediaRows({ rows, types, onChange, none, attempted, refusal }: MediaRowsProps) {
  const add = () =>
    onChange([
      ...rows,
      keyed({
        mediatypeid: types[0]?.mediatypeid ?? "",
        sendto: "",
        active: "0",
        severity: "63",
        period: "1-7,00:00-24:00",
        quiet_period: "",
        quiet_severity: "4",
      }),
    ]);
  return (
    <>
      {rows.map((row, at) => (
        <MediaRow
          key={row.key}
          row={row}
          n={at + 1}
          types={types}
          refusal={(name) => refusal(`/1/medias/${at + 1}/${name}`)}
          attempted={attempted}
          set={(change) => onChange(withAt<Keyed<Media>>(rows, at, change))}
          onRemove={() => onChange(withoutAt(rows, at))}
        />
      ))}
      <Section title={rows.length === 0 ? t("No media yet") : t("Another medium")}>
        {rows.length === 0 ? <div>{none}</div> : null}
        <div>
          <Button variant="default" leftSection={<IconPlus size={14} />} onClick={add}>
            {t("Add media")}
          </Button>
        </div>
      </Section>
    </>
  );
}

export function mediaOf({ key: _, ...media }: Keyed<Media>): Media {
  return media;
}

/** Whether each has an address. */
export function areMediasComplete(rows: readonly Media[]): boolean {
  return rows.every(({ sendto }) => checkAddress(sendto).ok);
}

function checkAddress(sendto: string): Check {
  return sendto.trim() === "" ? bad(t("an address is required"), 0) : OK;
}

interface MediaRowProps {
  readonly row: Media;
  readonly n: number;
  readonly types: readonly MediaTypeName[];
  readonly refusal: (name: string) => string | undefined;
  readonly attempted: boolean;
  readonly set: (change: Partial<Media>) => void;
  readonly onRemove: () => void;
}

function MediaRow({ row, n, types, refusal, attempted, set, onRemove }: MediaRowProps) {
  const type = types.find((it) => it.mediatypeid === row.mediatypeid);
  const bits = Number(row.severity);
  const options = types.map((it) => ({
    value: it.mediatypeid,
    label: it.status === "0" ? it.name : t("{name} (disabled)", { name: it.name }),
  }));
  return (
    <Section title={t("Media {n}", { n })}>
      <Row>
        <Select
          label={t("Type")}
          data={options}
          value={row.mediatypeid}
          allowDeselect={false}
          onChange={(mediatypeid) => set({ mediatypeid: mediatypeid ?? row.mediatypeid })}
        />
        <CheckedInput
          label={t("When active")}
          description={t("outside this period no messages are created")}
          value={row.period}
          onChange={(period) => set({ period })}
          check={checkOr(refusal("period"), () => OK)}
        />
      </Row>
      <CheckedInput
        label={t("Send to")}
        {...(type?.type === EMAIL ? { rows: 2, description: t("one address per line") } : {})}
        required
        value={row.sendto}
        onChange={(sendto) => set({ sendto })}
        check={checkOr(refusal("sendto"), checkAddress)}
        showAll={attempted}
      />
      <Row>
        <CheckedInput
          label={t("Quiet hours")}
          description={t("messages wait until the quiet hours end; in your time zone")}
          placeholder="1-7,22:00-24:00;1-7,00:00-07:00"
          value={row.quiet_period}
          onChange={(period) => set({ quiet_period: period.trim() })}
          check={checkOr(refusal("quiet_period"), () => OK)}
        />
        <Select
          label={t("Send in quiet hours")}
          description={t("from this severity")}
          data={SEVERITIES.map((it) => ({ value: String(it), label: severityName(it) }))}
          value={row.quiet_severity}
          allowDeselect={false}
          disabled={row.quiet_period === ""}
          onChange={(severity) => set({ quiet_severity: severity ?? row.quiet_severity })}
        />
      </Row>
      <fieldset className={classes["severities"]}>
        <legend>{t("Use if severity")}</legend>
        {SEVERITIES.map((severity) => (
          <Checkbox
            key={severity}
            label={severityName(severity)}
            checked={(bits & (1 << severity)) !== 0}
            onChange={() => set({ severity: String(bits ^ (1 << severity)) })}
          />
        ))}
      </fieldset>
      <div className={classes["foot"]}>
        <Switch
          label={t("Enabled")}
          checked={row.active === "0"}
          onChange={(event) => set({ active: event.currentTarget.checked ? "0" : "1" })}
        />
        <ActionIcon aria-label={t("Remove media {n}", { n })} onClick={onRemove}>
          <IconX size={14} />
        </ActionIcon>
      </div>
    </Section>
  );
}
