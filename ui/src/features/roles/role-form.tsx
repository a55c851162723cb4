// A role: what kind of user, whether the API may be called, and which services may be seen and changed.

import { Select, TextInput } from "@mantine/core";
import type { Role, RoleDraft, ServiceRule } from "@/api/users";
import { bad, type Check, OK } from "@/lib/check";
import { plural, t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { KeptNote } from "@/widgets/kept-note";
import { checkOr, Toggle } from "@/widgets/objects/fields";
import { ObjectForm } from "@/widgets/objects/object-form";
import { ROLES } from "./queries";
import { typeOptions } from "./role-types";

export interface RoleFormProps {
  readonly role: Role | undefined;
  readonly onDone: () => void;
}

const NO_TAG = { tag: "", value: "" } as const;
const ALL: ServiceRule = { all: true, serviceids: [], tag: NO_TAG };
const NONE: ServiceRule = { all: false, serviceids: [], tag: NO_TAG };

function fieldsOf(role: Role | undefined): RoleDraft {
  if (role !== undefined) return { name: role.name, type: role.type, rules: role.rules };
  return { name: "", type: "1", rules: { apiAccess: true, read: ALL, write: NONE } };
}

function checkName(name: string): Check {
  return name.trim() === "" ? bad(t("a name is required"), 0) : OK;
}

export function RoleForm({ role, onDone }: RoleFormProps) {
  return (
    <>
      {role?.readonly === "1" ? (
        <KeptNote>
          {t("This role is kept as it is, so that there is always one that may do all.")}
        </KeptNote>
      ) : null}
      <ObjectForm
        calls={ROLES}
        existing={role && { id: role.roleid, name: role.name }}
        first={() => fieldsOf(role)}
        isComplete={({ name }) => checkName(name).ok}
        draftOf={(fields) => ({ ...fields, name: fields.name.trim() })}
        cloned={({ name }) => ({ name: t("{name} (copy)", { name }) })}
        onDone={onDone}
      >
        {({ fields, set, attempted, told }) => {
          const { rules } = fields;
          const setRules = (part: Partial<RoleDraft["rules"]>) =>
            set({ rules: { ...rules, ...part } });
          return (
            <>
              <Section title={t("User role")}>
                <Row>
                  <CheckedInput
                    label={t("Name")}
                    value={fields.name}
                    onChange={(name) => set({ name })}
                    check={checkOr(told("/1/name"), checkName)}
                    required
                    showAll={attempted}
                  />
                  <Select
                    label={t("Type")}
                    description={t("users look, admins configure hosts, super admins all")}
                    inputWrapperOrder={["label", "input", "description", "error"]}
                    data={typeOptions()}
                    value={fields.type}
                    allowDeselect={false}
                    error={told("/1/type") ?? null}
                    onChange={(type) => set({ type: type ?? fields.type })}
                  />
                </Row>
                <Toggle
                  label={t("May call the API")}
                  checked={rules.apiAccess}
                  onChange={(apiAccess) => setRules({ apiAccess })}
                />
              </Section>
              <Section
                title={t("Services")}
                hint={t("With those that are chosen come all below them.")}
              >
                <Services
                  label={t("May be seen")}
                  rule={rules.read}
                  onChange={(read) => setRules({ read })}
                />
                <Services
                  label={t("May be changed")}
                  rule={rules.write}
                  onChange={(write) => setRules({ write })}
                />
              </Section>
            </>
          );
        }}
      </ObjectForm>
    </>
  );
}

interface ServicesProps {
  readonly label: string;
  readonly rule: ServiceRule;
  readonly onChange: (rule: ServiceRule) => void;
}

function Services({ label, rule, onChange }: ServicesProps) {
  const { serviceids, tag } = rule;
  const setTag = (part: Partial<ServiceRule["tag"]>) =>
    onChange({ ...rule, tag: { ...tag, ...part } });
  return (
    <>
      <Row>
        <Select
          label={label}
          data={[
            { value: "all", label: t("All services") },
            { value: "some", label: t("Those with a tag") },
          ]}
          value={rule.all ? "all" : "some"}
          allowDeselect={false}
          onChange={(it) => onChange({ ...rule, all: it === "all" })}
        />
        {rule.all ? null : (
          <>
            <TextInput
              label={t("Tag")}
              placeholder={t("none by tag")}
              value={tag.tag}
              onChange={(event) => setTag({ tag: event.currentTarget.value })}
            />
            <TextInput
              label={t("Value")}
              placeholder={t("any")}
              value={tag.value}
              onChange={(event) => setTag({ value: event.currentTarget.value })}
            />
          </>
        )}
      </Row>
      {rule.all || serviceids.length === 0 ? null : (
        <span className="dim">
          {plural(serviceids.length, "and 1 chosen service", "and {n} chosen services")}
        </span>
      )}
    </>
  );
}
