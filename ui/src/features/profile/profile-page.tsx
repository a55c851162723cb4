// One's own account: password, time zone, and when one is signed out.

import { PasswordInput, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changed } from "@/api/changes";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { fetchUser, type User, updateUser } from "@/api/users";
import { t } from "@/lib/i18n";
import { zoneOptions } from "@/lib/zone-options";
import { Form, Row, Section } from "@/ui/form";
import { notifyDone } from "@/ui/notify";
import { Page } from "@/ui/page";
import { EmptyState, QueryGate } from "@/ui/states";
import { toldOf } from "@/widgets/objects/object-form";

export interface ProfilePageProps {
  readonly userid: Id;
  readonly onDone: () => void;
}

export function ProfilePage({ userid, onDone }: ProfilePageProps) {
  const query = useQuery({
    queryKey: keys.user(`${userid} own`),
    queryFn: async ({ signal }) => (await fetchUser(userid, signal)) ?? null,
  });
  return (
    <Page title={t("My profile")} scroll>
      <QueryGate query={query}>
        {(user) =>
          user === null ? (
            <EmptyState title={t("There is no such user.")} />
          ) : (
            <ProfileForm user={user} onDone={onDone} />
          )
        }
      </QueryGate>
    </Page>
  );
}

interface ProfileFormProps {
  readonly user: User;
  readonly onDone: () => void;
}

function ProfileForm({ user, onDone }: ProfileFormProps) {
  const client = useQueryClient();
  const [fields, setFields] = useState({
    current: "",
    password: "",
    again: "",
    timezone: user.timezone,
    autologout: user.autologout,
  });
  const [attempted, setAttempted] = useState(false);
  const set = (part: Partial<typeof fields>) => setFields((before) => ({ ...before, ...part }));
  const differs = fields.password !== fields.again;
  const save = useMutation({
    mutationFn: () =>
      updateUser(user.userid, {
        timezone: fields.timezone,
        autologout: fields.autologout.trim(),
        ...(fields.password === ""
          ? {}
          : { passwd: fields.password, current_passwd: fields.current }),
      }),
    onSuccess: () => {
      notifyDone(t("Profile saved"));
      void changed(client, "user");
      onDone();
    },
  });
  const told = toldOf(save.error);
  return (
    <Form
      label={t("My profile")}
      draft={fields}
      onSubmit={() => {
        setAttempted(true);
        if (!differs) save.mutate();
      }}
      onCancel={onDone}
      submitText={t("Save")}
      busy={save.isPending}
      error={save.error}
    >
      <Section
        title={t("Password")}
        hint={t("With a new password all other sessions of yours end.")}
      >
        <Row>
          <PasswordInput
            label={t("Current password")}
            autoComplete="current-password"
            value={fields.current}
            error={told("/1/current_passwd") ?? null}
            onChange={(event) => set({ current: event.currentTarget.value })}
          />
          <PasswordInput
            label={t("New password")}
            placeholder={t("stays as it is")}
            autoComplete="new-password"
            value={fields.password}
            error={told("/1/passwd") ?? null}
            onChange={(event) => set({ password: event.currentTarget.value })}
          />
          <PasswordInput
            label={t("Password once more")}
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
          <Select
            label={t("Time zone")}
            description={t("of quiet hours and of messages")}
            inputWrapperOrder={["label", "input", "description", "error"]}
            data={zoneOptions()}
            value={fields.timezone}
            searchable
            limit={100}
            allowDeselect={false}
            onChange={(timezone) => set({ timezone: timezone ?? fields.timezone })}
          />
          <TextInput
            label={t("Signed out after")}
            description={t("time without a request; 0: never")}
            inputWrapperOrder={["label", "input", "description", "error"]}
            value={fields.autologout}
            error={told("/1/autologout") ?? null}
            onChange={(event) => set({ autologout: event.currentTarget.value })}
          />
        </Row>
      </Section>
    </Form>
  );
}
