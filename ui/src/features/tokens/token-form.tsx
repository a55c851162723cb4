// A token: what it is for, whom it stands for, and until when.

import { Select, TextInput } from "@mantine/core";
import type { Id } from "@/api/types";
import type { Token, TokenDraft } from "@/api/users";
import { t } from "@/lib/i18n";
import { zoneName } from "@/lib/time";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { timesIn } from "@/ui/zone-name";
import { nameOptions, useUserNames } from "@/widgets/names";
import type { ObjectCalls } from "@/widgets/objects/calls";
import { checkOr, DescriptionField, Toggle } from "@/widgets/objects/fields";
import { ObjectForm } from "@/widgets/objects/object-form";
import { checkName, checkUntil, draftOf, fieldsOf } from "./draft";

export interface TokenFormProps {
  readonly token: Token | undefined;
  readonly calls: ObjectCalls<TokenDraft>;
  readonly self: Id;
  readonly forOthers: boolean;
  readonly onDone: () => void;
}

export function TokenForm({ token, calls, self, forOthers, onDone }: TokenFormProps) {
  const users = useUserNames();
  return (
    <ObjectForm
      calls={calls}
      existing={token && { id: token.tokenid, name: token.name }}
      first={() => fieldsOf(token, self)}
      isComplete={(fields) => checkName(fields.name).ok && checkUntil(fields).ok}
      draftOf={draftOf}
      onDone={onDone}
    >
      {({ fields, set, attempted, refusal }) => {
        const until = checkUntil(fields);
        return (
          <Section
            title={t("API token")}
            hint={t("A program with this token has the permissions of the user.")}
          >
            <Row>
              <CheckedInput
                label={t("Name")}
                value={fields.name}
                onChange={(name) => set({ name })}
                check={checkOr(refusal("/1/name"), checkName)}
                required
                showAll={attempted}
              />
              <Select
                label={t("User")}
                data={nameOptions(users.data ?? [], [fields.userid])}
                value={fields.userid}
                searchable
                limit={100}
                allowDeselect={false}
                disabled={token !== undefined || !forOthers}
                onChange={(userid) => set({ userid: userid ?? fields.userid })}
              />
            </Row>
            <DescriptionField
              value={fields.description}
              onChange={(description) => set({ description })}
            />
            <Row>
              <Toggle
                label={t("Expires")}
                checked={fields.expires}
                onChange={(expires) => set({ expires })}
              />
              {fields.expires ? (
                <TextInput
                  type="datetime-local"
                  label={t("At")}
                  description={timesIn(zoneName())}
                  value={fields.until}
                  error={
                    refusal("/1/expires_at") ?? (attempted && !until.ok ? until.message : null)
                  }
                  onChange={(event) => set({ until: event.currentTarget.value })}
                />
              ) : null}
              <Toggle
                label={t("Enabled")}
                checked={fields.enabled}
                onChange={(enabled) => set({ enabled })}
              />
            </Row>
          </Section>
        );
      }}
    </ObjectForm>
  );
}
