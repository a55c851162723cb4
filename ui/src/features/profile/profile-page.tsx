// One's own account: password, and how one wants the pages.

import { PasswordInput, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changed } from "@/api/changes";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { USERS, type User } from "@/api/users";
import { localeOptions } from "@/lang/locale-options";
import { changedPart } from "@/lib/draft";
import { t } from "@/lib/i18n";
import { Form, Row, Section } from "@/ui/form";
import { notifyDone } from "@/ui/notify";
import { Page } from "@/ui/page";
import { EmptyState, ObjectGate } from "@/ui/states";
import { useEdited } from "@/widgets/objects/edited";
import { Toggle } from "@/widgets/objects/fields";
import { refusalOf } from "@/widgets/objects/object-form";
import { ZoneField } from "@/widgets/zone-field";

export interface ProfilePageProps {
  readonly userid: Id;
  readonly onDone: () => void;
}

export function ProfilePage({ userid, onDone }: ProfilePageProps) {
  const query = useQuery({
    queryKey: keys.profile(userid),
    queryFn: async ({ signal }) => (await USERS.one(userid, signal)) ?? null,
  });
  return (
    <Page title={t("My profile")} scroll>
      <ObjectGate query={query} absent={<EmptyState title={t("There is no such user.")} />}>
        {(user) => <ProfileForm user={user} onDone={onDone} />}
      </ObjectGate>
    </Page>
  );
}

interface ProfileFormProps {
  readonly user: User;
  readonly onDone: () => void;
}

function fieldsOf(user: User) {
  return {
    current: "",
    password: "",
    again: "",
    timezone: user.timezone,
    theme: user.theme,
    lang: user.lang,
    url: user.url,
    autologin: user.autologin === "1",
    autologout: user.autologout,
    refresh: user.refresh,
    rows: user.rows_per_page,
  };
}

function draftOf(fields: ReturnType<typeof fieldsOf>) {
  return {
    timezone: fields.timezone,
    theme: fields.theme,
    lang: fields.lang,
    url: fields.url.trim(),
    autologin: fields.autologin ? "1" : "0",
    autologout: fields.autologout.trim(),
    refresh: fields.refresh.trim(),
    rows_per_page: fields.rows.trim(),
    ...(fields.password === "" ? {} : { passwd: fields.password, current_passwd: fields.current }),
  };
}

function ProfileForm({ user, onDone }: ProfileFormProps) {
  const client = useQueryClient();
  const [attempted, setAttempted] = useState(false);
  const save = useMutation({
    mutationFn: (change: Partial<ReturnType<typeof draftOf>>) => USERS.update(user.userid, change),
    onSuccess: async () => {
      notifyDone(t("Profile saved"));
      await changed(client, "profile");
      onDone();
    },
  });
  const edited = useEdited({
    server: () => fieldsOf(user),
    exists: true,
    onSave: (whole, before) => save.mutate(changedPart(draftOf(before), draftOf(whole))),
  });
  const { fields, set } = edited;
  const differs = fields.password !== fields.again;
  const refusal = refusalOf(save.error);
  return (
    <Form
      label={t("My profile")}
      call="user.update"
      draft={fields}
      base={edited.base}
      onSubmit={() => {
        setAttempted(true);
        if (!differs) edited.submit();
      }}
      onCancel={onDone}
      submitText={t("Save")}
      busy={save.isPending || edited.checking}
      error={save.error}
      note={edited.note}
    >
      <Section title={t("Password")} hint={t("A new password ends all your other sessions.")}>
        <Row>
          <PasswordInput
            label={t("Current password")}
            autoComplete="current-password"
            value={fields.current}
            error={refusal("/1/current_passwd") ?? null}
            onChange={(event) => set({ current: event.currentTarget.value })}
          />
          <PasswordInput
            label={t("New password")}
            placeholder={t("unchanged")}
            autoComplete="new-password"
            value={fields.password}
            error={refusal("/1/passwd") ?? null}
            onChange={(event) => set({ password: event.currentTarget.value })}
          />
          <PasswordInput
            label={t("Repeat the password")}
            autoComplete="new-password"
            value={fields.again}
            error={
              (attempted || fields.again !== "") && differs ? t("the two passwords differ") : null
            }
            onChange={(event) => set({ again: event.currentTarget.value })}
          />
        </Row>
      </Section>
      <Section title={t("Preferences")}>
        <Row>
          <ZoneField value={fields.timezone} onChange={(timezone) => set({ timezone })} isSelf />
          <Select
            label={t("Theme")}
            data={themeOptions()}
            value={fields.theme}
            allowDeselect={false}
            error={refusal("/1/theme") ?? null}
            onChange={(theme) => set({ theme: theme ?? fields.theme })}
          />
          <Select
            label={t("Language")}
            data={localeOptions(user.lang)}
            value={fields.lang}
            allowDeselect={false}
            error={refusal("/1/lang") ?? null}
            onChange={(lang) => set({ lang: lang ?? fields.lang })}
          />
        </Row>
        <Row>
          <TextInput
            label={t("Page after login")}
            placeholder="/problems"
            value={fields.url}
            error={refusal("/1/url") ?? null}
            onChange={(event) => set({ url: event.currentTarget.value })}
          />
          <TextInput
            label={t("Auto-logout after")}
            description={t("time without requests; 0: never")}
            value={fields.autologout}
            error={refusal("/1/autologout") ?? null}
            onChange={(event) => set({ autologout: event.currentTarget.value })}
          />
        </Row>
        <Toggle
          label={t("Auto-login: stay signed in after the browser is closed")}
          checked={fields.autologin}
          onChange={(autologin) => set({ autologin })}
        />
        <Row>
          <TextInput
            label={t("Refresh")}
            description={t("stored for API clients; these pages update live")}
            value={fields.refresh}
            error={refusal("/1/refresh") ?? null}
            onChange={(event) => set({ refresh: event.currentTarget.value })}
          />
          <TextInput
            label={t("Rows per page")}
            description={t(
              "lists scroll without paging; the host list loads this many rows at a time",
            )}
            value={fields.rows}
            error={refusal("/1/rows_per_page") ?? null}
            onChange={(event) => set({ rows: event.currentTarget.value })}
          />
        </Row>
      </Section>
    </Form>
  );
}

function themeOptions() {
  return [
    { value: "default", label: t("System default") },
    { value: "blue-theme", label: t("Light") },
    { value: "dark-theme", label: t("Dark") },
    { value: "hc-light", label: t("Light, high contrast") },
    { value: "hc-dark", label: t("Dark, high contrast") },
  ];
}
