// A script: what is executed and where, who may start it, and what is asked before.

import { PasswordInput, Select, Switch, Textarea } from "@mantine/core";
import type { Script } from "@/api/scripts";
import { bad, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { useUserGroupNames } from "@/widgets/names";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import { PairEditor } from "@/widgets/pair-editor";
import { GroupPicker } from "@/widgets/pickers";
import {
  checkGiven,
  draftOf,
  FOR_ACTIONS,
  fieldsOf,
  IPMI,
  isComplete,
  neededOf,
  type ScriptFields,
  SHELL,
  SSH,
  scopeOptions,
  TELNET,
  typeOptions,
  URL_TYPE,
  WEBHOOK,
} from "./draft";
import { SCRIPTS } from "./queries";

export interface ScriptFormProps {
  readonly script: Script | undefined;
  readonly onDone: () => void;
}

type TextField = Exclude<keyof ScriptFields, "parameters">;

interface PartProps {
  readonly fields: ScriptFields;
  readonly set: (change: Partial<ScriptFields>) => void;
  /** the properties of an input of one field */
  readonly input: (name: TextField, label: string) => InputProps;
}

interface InputProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly check: typeof checkGiven;
  readonly required: boolean;
  readonly showAll: boolean;
}

export function ScriptForm({ script, onDone }: ScriptFormProps) {
  return (
    <ObjectForm
      calls={SCRIPTS}
      existing={script && { id: script.scriptid, name: script.name }}
      first={() => fieldsOf(script)}
      isComplete={isComplete}
      draftOf={draftOf}
      onDone={onDone}
    >
      {(given) => {
        const parts = { fields: given.fields, set: given.set, input: inputsOf(given) };
        return (
          <>
            <Common {...parts} />
            <Content {...parts} />
            <Rights {...parts} />
            {given.fields.scope === FOR_ACTIONS ? null : <Questions {...parts} />}
          </>
        );
      }}
    </ObjectForm>
  );
}

function inputsOf({
  fields,
  set,
  attempted,
  refusal,
}: FormParts<ScriptFields>): PartProps["input"] {
  return (name, label) => {
    const required = neededOf(fields).includes(name);
    return {
      label,
      value: fields[name],
      onChange: (value) => set({ [name]: value }),
      check: (value) => {
        const said = refusal(`/1/${name}`);
        if (said !== undefined) return bad(said, 0);
        return required ? checkGiven(value) : OK;
      },
      required,
      showAll: attempted,
    };
  };
}

function Common({ fields, set, input }: PartProps) {
  return (
    <Section title={t("Script")}>
      <Row>
        <CheckedInput {...input("name", t("Name"))} />
        {fields.scope === FOR_ACTIONS ? null : (
          <CheckedInput
            {...input("menu_path", t("Menu path"))}
            description={t("folders, separated by slashes")}
          />
        )}
      </Row>
      <Row>
        <Select
          label={t("Scope")}
          data={scopeOptions()}
          value={fields.scope}
          allowDeselect={false}
          onChange={(scope) => set({ scope: scope ?? fields.scope })}
        />
        <Select
          label={t("Type")}
          data={typeOptions()}
          value={fields.type}
          allowDeselect={false}
          onChange={(type) => set({ type: type ?? fields.type })}
        />
      </Row>
      <Textarea
        label={t("Description")}
        rows={2}
        value={fields.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
    </Section>
  );
}

function Content(props: PartProps) {
  const { fields, set, input } = props;
  if (fields.type === URL_TYPE) {
    return (
      <Section title="URL" hint={t("Macros are expanded.")}>
        <CheckedInput {...input("url", "URL")} mono />
      </Section>
    );
  }
  return (
    <Section title={t("Command")} hint={t("Macros are expanded.")}>
      {fields.type === SHELL ? (
        <Select
          label={t("Execute on")}
          data={[
            { value: "0", label: t("Zabbix agent on the host") },
            { value: "1", label: t("Server, if its settings allow it") },
            { value: "2", label: t("Proxy of the host, or server") },
          ]}
          value={fields.execute_on}
          allowDeselect={false}
          onChange={(it) => set({ execute_on: it ?? fields.execute_on })}
        />
      ) : null}
      {fields.type === SSH || fields.type === TELNET ? <Login {...props} /> : null}
      <CheckedInput
        {...input("command", fields.type === WEBHOOK ? t("Script") : t("Command"))}
        {...(fields.type === IPMI
          ? { description: t("such as power off; or power on, soft, cycle, reset, diag, status") }
          : {})}
        rows={fields.type === WEBHOOK ? 12 : 4}
        mono
      />
      {fields.type === WEBHOOK ? (
        <>
          <span>{t("Parameters")}</span>
          <PairEditor
            what={t("parameter")}
            pairs={fields.parameters}
            check={OK}
            disabled={false}
            onChange={(parameters) => set({ parameters })}
          />
          <CheckedInput {...input("timeout", t("Timeout"))} description={t("1s to 60s")} />
        </>
      ) : null}
    </Section>
  );
}

function Login({ fields, set, input }: PartProps) {
  const hasKey = fields.type === SSH && fields.authtype === "1";
  return (
    <>
      {fields.type === SSH ? (
        <Select
          label={t("Authentication")}
          data={[
            { value: "0", label: t("Password") },
            { value: "1", label: t("Key") },
          ]}
          value={fields.authtype}
          allowDeselect={false}
          onChange={(it) => set({ authtype: it ?? "0" })}
        />
      ) : null}
      <Row>
        <CheckedInput {...input("username", t("User name"))} />
        <PasswordInput
          label={hasKey ? t("Passphrase of the key") : t("Password")}
          autoComplete="new-password"
          value={fields.password}
          onChange={(event) => set({ password: event.currentTarget.value })}
        />
        <CheckedInput {...input("port", t("Port"))} />
      </Row>
      {hasKey ? (
        <Row>
          <CheckedInput {...input("publickey", t("File of the public key"))} />
          <CheckedInput {...input("privatekey", t("File of the private key"))} />
        </Row>
      ) : null}
    </>
  );
}

function Rights({ fields, set }: PartProps) {
  const groups = useUserGroupNames();
  return (
    <Section title={t("Access")} hint={t("Without a selection: all hosts and all users.")}>
      <GroupPicker
        kind="hostgroup"
        label={t("Host group")}
        value={fields.groupid === "0" ? [] : [fields.groupid]}
        onChange={(ids) => set({ groupid: ids.at(-1) ?? "0" })}
      />
      {fields.scope === FOR_ACTIONS ? null : (
        <Row>
          <Select
            label={t("User group")}
            data={[
              { value: "0", label: t("All") },
              ...(groups.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ]}
            value={fields.usrgrpid}
            allowDeselect={false}
            onChange={(it) => set({ usrgrpid: it ?? "0" })}
          />
          <Select
            label={t("Required host permission")}
            data={[
              { value: "2", label: t("Read") },
              { value: "3", label: t("Write") },
            ]}
            value={fields.host_access}
            allowDeselect={false}
            onChange={(it) => set({ host_access: it ?? "2" })}
          />
        </Row>
      )}
    </Section>
  );
}

function Questions({ fields, set, input }: PartProps) {
  const isList = fields.manualinput_validator_type === "1";
  return (
    <Section title={t("Before execution")} hint={t("The input replaces {MANUALINPUT}.")}>
      <CheckedInput {...input("confirmation", t("Confirmation text"))} />
      <Switch
        label={t("Ask for input")}
        checked={fields.manualinput === "1"}
        onChange={(event) => set({ manualinput: event.currentTarget.checked ? "1" : "0" })}
      />
      {fields.manualinput === "1" ? (
        <>
          <CheckedInput {...input("manualinput_prompt", t("Input prompt"))} />
          <Row>
            <Select
              label={t("Input type")}
              data={[
                { value: "0", label: t("String that matches a regular expression") },
                { value: "1", label: t("Dropdown") },
              ]}
              value={fields.manualinput_validator_type}
              allowDeselect={false}
              onChange={(it) => set({ manualinput_validator_type: it ?? "0" })}
            />
            <CheckedInput
              {...input(
                "manualinput_validator",
                isList ? t("Values, separated by commas") : t("Regular expression"),
              )}
              mono
            />
            {isList ? null : <CheckedInput {...input("manualinput_default_value", t("Default"))} />}
          </Row>
        </>
      ) : null}
    </Section>
  );
}
