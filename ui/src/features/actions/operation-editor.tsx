// What an action does: operations of one of its lists, each with its steps, recipients or targets.

import { ActionIcon, Button, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { withAt, withoutAt } from "@/widgets/keyed";
import { NamesPicker, useUserGroupNames, useUserNames } from "@/widgets/names";
import { GroupPicker, HostPicker, TemplatePicker } from "@/widgets/pickers";
import { TagEditor } from "@/widgets/tag-editor";
import classes from "./actions.module.css";
import type { PartProps } from "./condition-editor";
import { SERVICES, TRIGGERS } from "./conditions";
import {
  COMMAND,
  checkFrom,
  checkOwnPeriod,
  checkTo,
  hasList,
  hasProblems,
  MESSAGE,
  newOperation,
  type OperationFields,
  type OperationList,
  operationError,
  operationName,
  operationOptions,
} from "./draft";
import { useMediaTypeNames, useScheduleNames, useScriptNames } from "./queries";

export interface OperationsProps extends PartProps {
  readonly list: OperationList;
  readonly title: string;
  readonly hint: string;
}

export function Operations({
  list,
  title,
  hint,
  fields,
  set,
  attempted,
  refusal,
}: OperationsProps) {
  if (!hasList(fields.eventsource, list)) return null;
  const operations = fields[list];
  return (
    <Section title={title} hint={hint}>
      {operations.map((operation, at) => (
        <Operation
          key={operation.key}
          operation={operation}
          name={t("{title}, operation {n}", { title, n: at + 1 })}
          source={fields.eventsource}
          list={list}
          attempted={attempted}
          refusal={refusal(`/1/${list}/${at + 1}`)}
          set={(change) => set({ [list]: withAt(operations, at, change) })}
          onRemove={() => set({ [list]: withoutAt(operations, at) })}
        />
      ))}
      <div>
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconPlus size={13} />}
          aria-label={t("Add operation to {title}", { title })}
          onClick={() => set({ [list]: [...operations, newOperation(fields.eventsource, list)] })}
        >
          {t("Add operation")}
        </Button>
      </div>
    </Section>
  );
}

interface OperationProps {
  readonly operation: OperationFields;
  readonly name: string;
  readonly source: string;
  readonly list: OperationList;
  readonly attempted: boolean;
  readonly refusal: string | undefined;
  readonly set: (change: Partial<OperationFields>) => void;
  readonly onRemove: () => void;
}

function Operation(props: OperationProps) {
  const { operation, name, source, list, attempted, refusal, set, onRemove } = props;
  const offered = operationOptions(source, list);
  const own = { value: operation.operationtype, label: operationName(operation.operationtype) };
  const isOffered = offered.some((it) => it.value === own.value);
  const error = refusal ?? (attempted ? operationError(operation) : undefined);
  return (
    <fieldset className={classes["operation"]} aria-label={name}>
      <div className={classes["head"]}>
        <Select
          aria-label={t("Type")}
          w={230}
          data={isOffered ? [...offered] : [...offered, own]}
          value={own.value}
          allowDeselect={false}
          onChange={(operationtype) => set({ operationtype: operationtype ?? own.value })}
        />
        <ActionIcon aria-label={t("Remove {name}", { name })} onClick={onRemove}>
          <IconX size={14} />
        </ActionIcon>
      </div>
      {list === "operations" && hasProblems(source) ? (
        <Steps operation={operation} source={source} attempted={attempted} set={set} />
      ) : null}
      <Content operation={operation} source={source} set={set} />
      {error === undefined ? null : (
        <p className="bad" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}

interface ContentProps {
  readonly operation: OperationFields;
  readonly source: string;
  readonly set: (change: Partial<OperationFields>) => void;
}

function Steps({
  operation,
  source,
  attempted,
  set,
}: ContentProps & { readonly attempted: boolean }) {
  const { esc_step_from, esc_step_to, esc_period, acknowledged } = operation;
  const both = acknowledged.includes(",")
    ? [{ value: acknowledged, label: t("several conditions") }]
    : [];
  return (
    <Row>
      <CheckedInput
        label={t("First step")}
        value={esc_step_from}
        onChange={(it) => set({ esc_step_from: it })}
        check={checkFrom}
        showAll={attempted}
      />
      <CheckedInput
        label={t("Last step")}
        description={t("0: without end")}
        value={esc_step_to}
        onChange={(it) => set({ esc_step_to: it })}
        check={(it) => checkTo(esc_step_from, it)}
        showAll={attempted}
      />
      <CheckedInput
        label={t("Step duration")}
        description={t("0: use the action's default")}
        value={esc_period}
        onChange={(it) => set({ esc_period: it })}
        check={checkOwnPeriod}
        showAll={attempted}
      />
      {source === TRIGGERS ? (
        <Select
          label={t("Only if")}
          data={[
            { value: "", label: t("always") },
            { value: "0", label: t("not acknowledged") },
            { value: "1", label: t("acknowledged") },
            ...both,
          ]}
          value={acknowledged}
          allowDeselect={false}
          onChange={(it) => set({ acknowledged: it ?? "" })}
        />
      ) : null}
    </Row>
  );
}

function Content(props: ContentProps) {
  const { operation, set } = props;
  switch (operation.operationtype) {
    case MESSAGE:
      return (
        <>
          <Recipients {...props} />
          <Message {...props} hasMedia />
        </>
      );
    case "11":
      return <Message {...props} hasMedia={false} />;
    case "12":
      return <Message {...props} hasMedia />;
    case COMMAND:
      return <Command {...props} />;
    case "4":
    case "5":
      return (
        <GroupPicker
          kind="hostgroup"
          label={t("Host groups")}
          value={operation.hostGroups}
          onChange={(hostGroups) => set({ hostGroups })}
        />
      );
    case "6":
    case "7":
      return (
        <TemplatePicker
          label={t("Templates")}
          value={operation.templates}
          onChange={(templates) => set({ templates })}
        />
      );
    case "10":
      return (
        <Select
          label={t("Inventory mode")}
          data={[
            { value: "0", label: t("Manual") },
            { value: "1", label: t("Automatic") },
          ]}
          value={operation.inventory_mode}
          allowDeselect={false}
          onChange={(mode) => set({ inventory_mode: mode ?? "0" })}
        />
      );
    case "13":
    case "14":
      return <TagEditor tags={operation.tags} onChange={(tags) => set({ tags })} />;
    default:
      return null;
  }
}

function Recipients({ operation, set }: ContentProps) {
  const groups = useUserGroupNames();
  const users = useUserNames();
  const schedules = useScheduleNames();
  return (
    <Row>
      <NamesPicker
        label={t("User groups")}
        names={groups.data ?? []}
        value={operation.userGroups}
        onChange={(userGroups) => set({ userGroups })}
      />
      <NamesPicker
        label={t("Users")}
        names={users.data ?? []}
        value={operation.users}
        onChange={(picked) => set({ users: picked })}
      />
      <NamesPicker
        label={t("On call")}
        names={schedules.data ?? []}
        value={operation.oncall}
        onChange={(oncall) => set({ oncall })}
      />
    </Row>
  );
}

function Message({ operation, set, hasMedia }: ContentProps & { readonly hasMedia: boolean }) {
  const types = useMediaTypeNames();
  const options = (types.data ?? []).map(({ mediatypeid, name, status }) => ({
    value: mediatypeid,
    label: status === "0" ? name : t("{name} (disabled)", { name }),
  }));
  const isOwn = operation.default_msg !== "1";
  return (
    <>
      {hasMedia ? (
        <Select
          label={t("Media type")}
          data={[{ value: "0", label: t("All media of the user") }, ...options]}
          value={operation.mediatypeid}
          allowDeselect={false}
          onChange={(mediatypeid) => set({ mediatypeid: mediatypeid ?? "0" })}
        />
      ) : null}
      <Switch
        label={t("Custom message")}
        checked={isOwn}
        onChange={(event) => set({ default_msg: event.currentTarget.checked ? "0" : "1" })}
      />
      {isOwn ? (
        <>
          <TextInput
            label={t("Subject")}
            value={operation.subject}
            onChange={(event) => set({ subject: event.currentTarget.value })}
          />
          <Textarea
            label={t("Message")}
            rows={4}
            spellCheck={false}
            value={operation.message}
            onChange={(event) => set({ message: event.currentTarget.value })}
          />
        </>
      ) : null}
    </>
  );
}

function Command({ operation, source, set }: ContentProps) {
  const scripts = useScriptNames();
  return (
    <>
      <Select
        label={t("Script")}
        data={(scripts.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={operation.scriptid === "" ? null : operation.scriptid}
        onChange={(scriptid) => set({ scriptid: scriptid ?? "" })}
        searchable
        nothingFoundMessage={t("There are no scripts for actions.")}
      />
      {source === SERVICES ? null : (
        <>
          <Switch
            label={t("Current host")}
            checked={operation.onEventHost}
            onChange={(event) => set({ onEventHost: event.currentTarget.checked })}
          />
          <HostPicker
            label={t("Hosts")}
            placeholder={t("Hosts")}
            value={operation.hosts}
            onChange={(hosts) => set({ hosts })}
          />
          <GroupPicker
            kind="hostgroup"
            label={t("Host groups")}
            value={operation.hostGroups}
            onChange={(hostGroups) => set({ hostGroups })}
          />
        </>
      )}
    </>
  );
}
