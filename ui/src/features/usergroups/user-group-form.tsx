// A user group: its users, and what they may do with the hosts and templates of which groups.

import { Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { fetchHostGroups, fetchTemplateGroups } from "@/api/groups";
import { keys } from "@/api/query-keys";
import type { GroupRef } from "@/api/types";
import type { GroupRight, TagFilter, UserGroup } from "@/api/users";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import type { Keyed } from "@/widgets/keyed";
import { NamesPicker, useUserNames } from "@/widgets/names";
import { checkOr, Toggle } from "@/widgets/objects/fields";
import { Line, Lines } from "@/widgets/objects/lines";
import { ObjectForm } from "@/widgets/objects/object-form";
import {
  accessOptions,
  checkName,
  draftOf,
  fieldsOf,
  newFilter,
  newRight,
  permissionOptions,
} from "./draft";
import { USER_GROUPS } from "./queries";

export interface UserGroupFormProps {
  readonly group: UserGroup | undefined;
  readonly onDone: () => void;
}

export function UserGroupForm({ group, onDone }: UserGroupFormProps) {
  const users = useUserNames();
  const hostGroups = useQuery({
    queryKey: keys.hostGroups,
    queryFn: ({ signal }) => fetchHostGroups(signal),
  });
  const templateGroups = useQuery({
    queryKey: keys.templateGroups,
    queryFn: ({ signal }) => fetchTemplateGroups(signal),
  });
  return (
    <ObjectForm
      calls={USER_GROUPS}
      existing={group && { id: group.usrgrpid, name: group.name }}
      first={() => fieldsOf(group)}
      isComplete={({ name }) => checkName(name).ok}
      draftOf={draftOf}
      cloned={({ name }) => ({ name: t("{name} (copy)", { name }) })}
      onDone={onDone}
    >
      {({ fields, set, attempted, refusal }) => (
        <>
          <Section title={t("User group")}>
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
                label={t("Access")}
                data={accessOptions()}
                value={fields.access}
                allowDeselect={false}
                error={refusal("/1/gui_access") ?? null}
                onChange={(access) => set({ access: access ?? fields.access })}
              />
            </Row>
            <NamesPicker
              label={t("Users")}
              names={users.data ?? []}
              value={fields.userids}
              onChange={(userids) => set({ userids })}
            />
            <Toggle
              label={t("Enabled")}
              checked={fields.enabled}
              onChange={(enabled) => set({ enabled })}
            />
          </Section>
          <Rights
            title={t("Host permissions")}
            what={t("host group")}
            groups={hostGroups.data ?? []}
            lines={fields.hostRights}
            error={refusal("/1/hostgroup_rights")}
            onChange={(hostRights) => set({ hostRights })}
          />
          <Rights
            title={t("Template permissions")}
            what={t("template group")}
            groups={templateGroups.data ?? []}
            lines={fields.templateRights}
            error={refusal("/1/templategroup_rights")}
            onChange={(templateRights) => set({ templateRights })}
          />
          <TagFilters
            groups={hostGroups.data ?? []}
            lines={fields.tagFilters}
            error={refusal("/1/tag_filters")}
            onChange={(tagFilters) => set({ tagFilters })}
          />
        </>
      )}
    </ObjectForm>
  );
}

interface RightsProps {
  readonly title: string;
  readonly what: string;
  readonly groups: readonly GroupRef[];
  readonly lines: readonly Keyed<GroupRight>[];
  readonly error: string | undefined;
  readonly onChange: (lines: readonly Keyed<GroupRight>[]) => void;
}

function Rights({ title, what, groups, lines, error, onChange }: RightsProps) {
  return (
    <Section
      title={title}
      hint={t(
        "With several groups the highest permission applies, unless one of them is “denied”.",
      )}
    >
      <Lines
        lines={lines}
        onChange={onChange}
        add={t("Add {what}", { what })}
        newLine={newRight}
        error={error}
      >
        {({ line, n, change, remove }) => (
          <Line remove={t("Remove {what} {n}", { what, n })} onRemove={remove}>
            <Select
              aria-label={t("Group of {what} {n}", { what, n })}
              placeholder={t("Type to search")}
              data={groups
                .filter(({ groupid }) => groupid === line.id || !isUsed(lines, groupid))
                .map(({ groupid, name }) => ({ value: groupid, label: name }))}
              value={line.id === "" ? null : line.id}
              searchable
              limit={100}
              nothingFoundMessage={t("No such group")}
              allowDeselect={false}
              onChange={(id) => change({ id: id ?? line.id })}
            />
            <Select
              aria-label={t("Permission of {what} {n}", { what, n })}
              data={permissionOptions()}
              value={line.permission}
              allowDeselect={false}
              onChange={(permission) => change({ permission: permission ?? line.permission })}
            />
          </Line>
        )}
      </Lines>
    </Section>
  );
}

interface TagFiltersProps {
  readonly groups: readonly GroupRef[];
  readonly lines: readonly Keyed<TagFilter>[];
  readonly error: string | undefined;
  readonly onChange: (lines: readonly Keyed<TagFilter>[]) => void;
}

function TagFilters({ groups, lines, error, onChange }: TagFiltersProps) {
  return (
    <Section
      title={t("Problem tag filter")}
      hint={t(
        "Without tag filters: all problems that permissions allow. With tag filters: only problems that match them; problems of other host groups are hidden.",
      )}
    >
      <Lines
        lines={lines}
        onChange={onChange}
        add={t("Add tag filter")}
        newLine={newFilter}
        error={error}
      >
        {({ line, n, change, remove }) => (
          <Line remove={t("Remove tag filter {n}", { n })} onRemove={remove}>
            <Select
              aria-label={t("Host group of tag filter {n}", { n })}
              placeholder={t("Type to search")}
              data={groups.map(({ groupid, name }) => ({ value: groupid, label: name }))}
              value={line.groupid === "" ? null : line.groupid}
              searchable
              limit={100}
              nothingFoundMessage={t("No such group")}
              allowDeselect={false}
              onChange={(groupid) => change({ groupid: groupid ?? line.groupid })}
            />
            <TextInput
              aria-label={t("Tag of tag filter {n}", { n })}
              placeholder={t("all problems")}
              value={line.tag}
              onChange={(event) => change({ tag: event.currentTarget.value })}
            />
            <TextInput
              aria-label={t("Value of tag filter {n}", { n })}
              placeholder={t("any value")}
              value={line.value}
              onChange={(event) => change({ value: event.currentTarget.value })}
            />
          </Line>
        )}
      </Lines>
    </Section>
  );
}

function isUsed(lines: readonly GroupRight[], groupid: string): boolean {
  return lines.some(({ id }) => id === groupid);
}
