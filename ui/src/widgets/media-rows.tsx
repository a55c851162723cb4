// Where messages reach a user: a section a media, and a button for another one.

import { ActionIcon, Button, Checkbox, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import type { Media, MediaTypeName } from "@/api/media";
import { t } from "@/lib/i18n";
import { SEVERITIES, severityName } from "@/lib/severity";
import { Row, Section } from "@/ui/form";
import { type Keyed, keyed, withAt, withoutAt } from "./keyed";
import classes from "./media-rows.module.css";

const EMAIL = "0";

export interface MediaRowsProps {
  readonly rows: readonly Keyed<Media>[];
  readonly types: readonly MediaTypeName[];
  readonly onChange: (rows: readonly Keyed<Media>[]) => void;
  /** what it means to have none */
  readonly none: string;
}

export function MediaRows({ rows, types, onChange, none }: MediaRowsProps) {
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
          set={(change) => onChange(withAt<Keyed<Media>>(rows, at, change))}
          onRemove={() => onChange(withoutAt(rows, at))}
        />
      ))}
      <Section title={rows.length === 0 ? t("No media yet") : t("Another one")}>
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

interface MediaRowProps {
  readonly row: Media;
  readonly n: number;
  readonly types: readonly MediaTypeName[];
  readonly set: (change: Partial<Media>) => void;
  readonly onRemove: () => void;
}

function MediaRow({ row, n, types, set, onRemove }: MediaRowProps) {
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
        <TextInput
          label={t("When active")}
          value={row.period}
          onChange={(event) => set({ period: event.currentTarget.value })}
        />
      </Row>
      {type?.type === EMAIL ? (
        <Textarea
          label={t("Send to")}
          description={t("one address a line")}
          rows={2}
          required
          value={row.sendto}
          onChange={(event) => set({ sendto: event.currentTarget.value })}
        />
      ) : (
        <TextInput
          label={t("Send to")}
          required
          value={row.sendto}
          onChange={(event) => set({ sendto: event.currentTarget.value })}
        />
      )}
      <Row>
        <TextInput
          label={t("Quiet hours")}
          description={t("messages wait until their end; in your time zone")}
          placeholder="1-7,22:00-24:00;1-7,00:00-07:00"
          value={row.quiet_period}
          onChange={(event) => set({ quiet_period: event.currentTarget.value.trim() })}
        />
        <Select
          label={t("Sent in quiet hours too")}
          description={t("from this severity on")}
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
