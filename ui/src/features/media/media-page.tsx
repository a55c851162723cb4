// Where messages reach the user who is logged in.

import { ActionIcon, Button, Checkbox, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changed } from "@/api/changes";
import {
  fetchMedias,
  fetchMediaTypeNames,
  type Media,
  type MediaTypeName,
  saveMedias,
} from "@/api/media";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { SEVERITIES, severityName } from "@/lib/severity";
import { Form, Row, Section } from "@/ui/form";
import { notifyDone } from "@/ui/notify";
import { Page } from "@/ui/page";
import { QueryGate } from "@/ui/states";
import { type Keyed, keyed, withAt, withoutAt } from "@/widgets/keyed";
import classes from "./media.module.css";

export interface MediaPageProps {
  readonly userid: Id;
  readonly onDone: () => void;
}

export function MediaPage({ userid, onDone }: MediaPageProps) {
  const query = useQuery({
    queryKey: keys.medias(userid),
    queryFn: async ({ signal }) => {
      const [medias, types] = await Promise.all([
        fetchMedias(userid, signal),
        fetchMediaTypeNames(signal),
      ]);
      return { medias, types };
    },
  });
  return (
    <Page title={t("My media")} scroll>
      <QueryGate query={query}>
        {({ medias, types }) => (
          <MediaForm userid={userid} medias={medias} types={types} onDone={onDone} />
        )}
      </QueryGate>
    </Page>
  );
}

interface MediaFormProps extends MediaPageProps {
  readonly medias: readonly Media[];
  readonly types: readonly MediaTypeName[];
}

const EMAIL = "0";

function MediaForm({ userid, medias, types, onDone }: MediaFormProps) {
  const client = useQueryClient();
  const [rows, setRows] = useState<readonly Keyed<Media>[]>(() => medias.map(keyed));
  const save = useMutation({
    mutationFn: () => saveMedias(userid, rows.map(mediaOf)),
    onSuccess: () => {
      notifyDone(t("Media saved"));
      void changed(client, "medias");
      onDone();
    },
  });
  const add = () =>
    setRows([
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
    <Form
      label={t("My media")}
      draft={rows}
      onSubmit={() => save.mutate()}
      onCancel={onDone}
      submitText={t("Save")}
      busy={save.isPending}
      error={save.error}
    >
      {rows.map((row, at) => (
        <MediaRow
          key={row.key}
          row={row}
          n={at + 1}
          types={types}
          set={(change) => setRows(withAt<Keyed<Media>>(rows, at, change))}
          onRemove={() => setRows(withoutAt(rows, at))}
        />
      ))}
      <Section title={rows.length === 0 ? t("No media yet") : t("Another one")}>
        {rows.length === 0 ? (
          <div>{t("Without an address no message of an action reaches you.")}</div>
        ) : null}
        <div>
          <Button variant="default" leftSection={<IconPlus size={14} />} onClick={add}>
            {t("Add media")}
          </Button>
        </div>
      </Section>
    </Form>
  );
}

function mediaOf({ key: _, ...media }: Keyed<Media>): Media {
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
