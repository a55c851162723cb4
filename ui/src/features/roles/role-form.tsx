// A role: what kind of user, which pages, actions and methods of the API it has, and which services may be seen and
// changed.

import { Select, TagsInput, TextInput } from "@mantine/core";
import { newRules, type Role, type RoleDraft, type ServiceRule } from "@/api/users";
import { bad, type Check, OK } from "@/lib/check";
import { plural, t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { KeptNote } from "@/ui/kept-note";
import { checkOr, Toggle } from "@/widgets/objects/fields";
import { ObjectForm } from "@/widgets/objects/object-form";
import { ACTIONS, allowedFor, elementsOf, PAGES } from "./elements";
import { Elements } from "./elements-field";
import { ROLES } from "./queries";
import { typeOptions } from "./role-types";

export interface RoleFormProps {
  readonly role: Role | undefined;
  readonly onDone: () => void;
}

const NO_TAG = { tag: "", value: "" } as const;
const NONE: ServiceRule = { all: false, serviceids: [], tag: NO_TAG };

function fieldsOf(role: Role | undefined): RoleDraft {
  if (role !== undefined) return { name: role.name, type: role.type, rules: role.rules };
  return { name: "", type: "1", rules: newRules(NONE) };
}

function draftOf(role: Role | undefined, fields: RoleDraft): RoleDraft {
  const { type, rules } = fields;
  const name = fields.name.trim();
  if (type === role?.type) return { ...fields, name };
  const ui = allowedFor(PAGES, rules.ui, type);
  const actions = allowedFor(ACTIONS, rules.actions, type);
  return { name, type, rules: { ...rules, ui, actions } };
}

function checkName(name: string): Check {
  return name.trim() === "" ? bad(t("a name is required"), 0) : OK;
}

export function RoleForm({ role, onDone }: RoleFormProps) {
  return (
    <>
      {role?.readonly === "1" ? (
        <KeptNote>
          {t("This built-in role cannot be changed: one role must keep full access.")}
        </KeptNote>
      ) : null}
      <ObjectForm
        calls={ROLES}
        existing={role && { id: role.roleid, name: role.name }}
        first={() => fieldsOf(role)}
        isComplete={({ name }) => checkName(name).ok}
        draftOf={(fields) => draftOf(role, fields)}
        cloned={({ name }) => ({ name: t("{name} (copy)", { name }) })}
        onDone={onDone}
      >
        {({ fields, set, attempted, refusal }) => {
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
                    check={checkOr(refusal("/1/name"), checkName)}
                    required
                    showAll={attempted}
                  />
                  <Select
                    label={t("Type")}
                    description={t("User: view. Admin: configure hosts. Super admin: full access.")}
                    data={typeOptions()}
                    value={fields.type}
                    allowDeselect={false}
                    error={refusal("/1/type") ?? null}
                    onChange={(type) => set({ type: type ?? fields.type })}
                  />
                </Row>
              </Section>
              <Elements
                title={t("Pages")}
                hint={t("Other pages are not in the navigation and cannot be opened.")}
                known={elementsOf(PAGES, fields.type)}
                chosen={rules.ui}
                byDefault={rules.uiDefault}
                onChange={(ui, uiDefault) => setRules({ ui, uiDefault })}
              />
              <Elements
                title={t("Actions")}
                hint={t("These apply to the pages and to the API.")}
                known={elementsOf(ACTIONS, fields.type)}
                chosen={rules.actions}
                byDefault={rules.actionsDefault}
                onChange={(actions, actionsDefault) => setRules({ actions, actionsDefault })}
              />
              <Section
                title={t("API")}
                hint={t(
                  "For programs. host.* means all methods of hosts, *.get all methods that read.",
                )}
              >
                <Toggle
                  label={t("Access to API")}
                  checked={rules.apiAccess}
                  onChange={(apiAccess) => setRules({ apiAccess })}
                />
                {rules.apiAccess ? (
                  <Row>
                    <Select
                      label={t("Methods")}
                      data={[
                        { value: "deny", label: t("Deny list") },
                        { value: "allow", label: t("Allow list") },
                      ]}
                      value={rules.allowsMethods ? "allow" : "deny"}
                      allowDeselect={false}
                      onChange={(it) => setRules({ allowsMethods: it === "allow" })}
                    />
                    <TagsInput
                      label={t("API methods")}
                      description={t("empty: all methods are allowed")}
                      placeholder="host.*"
                      value={[...rules.methods]}
                      onChange={(methods) => setRules({ methods })}
                    />
                  </Row>
                ) : null}
              </Section>
              <Section
                title={t("Services")}
                hint={t("The child services of the selected services are included.")}
              >
                <Services
                  label={t("Read access to services")}
                  rule={rules.read}
                  onChange={(read) => setRules({ read })}
                />
                <Services
                  label={t("Read-write access to services")}
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
            { value: "some", label: t("Service list") },
          ]}
          value={rule.all ? "all" : "some"}
          allowDeselect={false}
          onChange={(it) => onChange({ ...rule, all: it === "all" })}
        />
        {rule.all ? null : (
          <>
            <TextInput
              label={t("Tag")}
              placeholder={t("no services by tag")}
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
          {plural(serviceids.length, "and 1 selected service", "and {n} selected services")}
        </span>
      )}
    </>
  );
}
