// A user: the login, what the user may do by role and groups, and where messages reach the user.

import { PasswordInput, Select, TextInput } from "@mantine/core";
import type { MediaTypeName } from "@/api/media";
import type { Role } from "@/api/users";
import { localeOptions } from "@/lang/locale-options";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { MediaRows } from "@/widgets/media-rows";
import { NamesPicker, useUserGroupNames } from "@/widgets/names";
import { checkOr } from "@/widgets/objects/fields";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import { useMayAct } from "@/widgets/role";
import { ZoneField } from "@/widgets/zone-field";
import {
  checkAgain,
  checkUsername,
  draftOf,
  fieldsOf,
  isComplete,
  type UserFields,
  type UserWithMedias,
} from "./draft";
import { USERS } from "./queries";

export interface UserFormProps {
  readonly user: UserWithMedias | undefined;
  /** one's own: a new password needs the current one, and there is no way to delete oneself */
  readonly isSelf: boolean;
  readonly roles: readonly Role[];
  readonly types: readonly MediaTypeName[];
  readonly onDone: () => void;
}

export function UserForm({ user, isSelf, roles, types, onDone }: UserFormProps) {
  const isNew = user === undefined;
  const mayAct = useMayAct();
  const mayEditMedia = mayAct(isSelf ? "edit_own_media" : "edit_user_media");
  return (
    <ObjectForm
      calls={USERS}
      existing={user && { id: user.userid, name: user.username }}
      first={() => fieldsOf(user)}
      isComplete={(fields) => isComplete(fields, isNew)}
      draftOf={(fields) => draftOf(fields, { mayEditMedia })}
      onDone={onDone}
    >
      {(parts) => (
        <>
          <Login {...parts} isNew={isNew} isSelf={isSelf} />
          <Rights {...parts} roles={roles} />
          {mayEditMedia ? (
            <MediaRows
              rows={parts.fields.medias}
              types={types}
              onChange={(medias) => parts.set({ medias })}
              none={t("Actions cannot notify the user until media are added.")}
              attempted={parts.attempted}
              refusal={parts.refusal}
            />
          ) : (
            <Section title={t("Media")}>
              <div>{t("Your role does not allow you to edit these media.")}</div>
            </Section>
          )}
        </>
      )}
    </ObjectForm>
  );
}

interface LoginProps extends FormParts<UserFields> {
  readonly isNew: boolean;
  readonly isSelf: boolean;
}

function Login({ fields, set, attempted, refusal, isNew, isSelf }: LoginProps) {
  const again = checkAgain(fields.password, fields.again);
  const missing = attempted && isNew && fields.password === "";
  return (
    <Section title={t("User")}>
      <Row>
        <CheckedInput
          label={t("User name")}
          value={fields.username}
          onChange={(username) => set({ username })}
          check={checkOr(refusal("/1/username"), checkUsername)}
          required
          showAll={attempted}
        />
        <TextInput
          label={t("First name")}
          value={fields.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <TextInput
          label={t("Last name")}
          value={fields.surname}
          onChange={(event) => set({ surname: event.currentTarget.value })}
        />
      </Row>
      <Row>
        {isSelf && fields.password !== "" ? (
          <PasswordInput
            label={t("Current password")}
            autoComplete="current-password"
            value={fields.current}
            error={refusal("/1/current_passwd") ?? null}
            onChange={(event) => set({ current: event.currentTarget.value })}
          />
        ) : null}
        <PasswordInput
          label={isNew ? t("Password") : t("New password")}
          placeholder={isNew ? "" : t("unchanged")}
          autoComplete="new-password"
          withAsterisk={isNew}
          value={fields.password}
          error={refusal("/1/passwd") ?? (missing ? t("a password is required") : null)}
          onChange={(event) => set({ password: event.currentTarget.value })}
        />
        <PasswordInput
          label={t("Repeat the password")}
          autoComplete="new-password"
          value={fields.again}
          error={(attempted || fields.again !== "") && !again.ok ? again.message : null}
          onChange={(event) => set({ again: event.currentTarget.value })}
        />
      </Row>
      <Row>
        <ZoneField
          value={fields.timezone}
          onChange={(timezone) => set({ timezone })}
          isSelf={isSelf}
        />
        <Select
          label={t("Language")}
          data={localeOptions(fields.lang)}
          value={fields.lang}
          allowDeselect={false}
          error={refusal("/1/lang") ?? null}
          onChange={(lang) => set({ lang: lang ?? fields.lang })}
        />
        <TextInput
          label={t("Auto-logout after")}
          description={t("time without requests; 0: never")}
          value={fields.autologout}
          error={refusal("/1/autologout") ?? null}
          onChange={(event) => set({ autologout: event.currentTarget.value })}
        />
      </Row>
    </Section>
  );
}

interface RightsProps extends FormParts<UserFields> {
  readonly roles: readonly Role[];
}

function Rights({ fields, set, attempted, refusal, roles }: RightsProps) {
  const groups = useUserGroupNames();
  return (
    <Section
      title={t("Permissions")}
      hint={t(
        "The role controls which pages and API methods are available. User groups control which hosts.",
      )}
    >
      <Row>
        <Select
          label={t("Role")}
          data={roles.map(({ roleid, name }) => ({ value: roleid, label: name }))}
          value={fields.roleid === "" ? null : fields.roleid}
          allowDeselect={false}
          withAsterisk
          error={
            refusal("/1/roleid") ??
            (attempted && fields.roleid === "" ? t("a role is required") : null)
          }
          onChange={(roleid) => set({ roleid: roleid ?? fields.roleid })}
        />
        <NamesPicker
          label={t("User groups")}
          names={groups.data ?? []}
          value={fields.groups}
          onChange={(ids) => set({ groups: ids })}
        />
      </Row>
    </Section>
  );
}
