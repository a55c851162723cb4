// Owner, private or public, and users and groups that something is shared with: of dashboards and maps.

import { ActionIcon, Button, Input, Select } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useRouteContext } from "@tanstack/react-router";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { Row } from "@/ui/form";
import { nameOptions, useUserGroupNames, useUserNames } from "./names";
import classes from "./sharing.module.css";

const READ = "2";
const WRITE = "3";

/** Whose something is, and who else sees or changes it. */
export interface Sharing {
  readonly userid: Id;
  /** "0": all users see it */
  readonly private: string;
  readonly users: readonly { readonly userid: Id; readonly permission: string }[];
  readonly userGroups: readonly { readonly usrgrpid: Id; readonly permission: string }[];
}

export interface SharingFieldsProps {
  readonly sharing: Sharing;
  /** the least type of user that may give it another owner */
  readonly mayGive: number;
  /** what all users see anyway is not shared to be read */
  readonly publicIsRead?: boolean;
  readonly onChange: (change: Partial<Sharing>) => void;
}

export function SharingFields(props: SharingFieldsProps) {
  const { sharing, mayGive, publicIsRead = false, onChange } = props;
  const { user } = useRouteContext({ from: "/shell" });
  const users = useUserNames();
  const groups = useUserGroupNames();
  // of what is to be made: who makes it
  const ownerid = sharing.userid === "" ? user.userid : sharing.userid;
  const owner = nameOptions(users.data ?? [], [ownerid]);
  const isPublic = publicIsRead && sharing.private === "0";
  const errorOf = (lines: readonly { readonly permission: string }[]) =>
    isPublic && lines.some(({ permission }) => permission === READ)
      ? t("Visible to all users. Only write permission can be shared.")
      : undefined;
  return (
    <>
      <Row>
        {user.type >= mayGive ? (
          <Select
            label={t("Owner")}
            data={owner}
            value={ownerid}
            allowDeselect={false}
            searchable
            onChange={(userid) => userid !== null && onChange({ userid })}
          />
        ) : null}
        <Select
          label={t("Type")}
          data={[
            {
              value: "1",
              label: t("Private: visible to the owner and the users and groups below"),
            },
            { value: "0", label: t("Public: visible to all users") },
          ]}
          value={sharing.private}
          allowDeselect={false}
          onChange={(it) => it !== null && onChange({ private: it })}
        />
      </Row>
      <Shares
        label={t("Shared with user groups")}
        add={t("Add user group")}
        names={groups.data ?? []}
        first={isPublic ? WRITE : READ}
        error={errorOf(sharing.userGroups)}
        lines={sharing.userGroups.map((it) => ({ id: it.usrgrpid, permission: it.permission }))}
        onChange={(lines) =>
          onChange({
            userGroups: lines.map((it) => ({ usrgrpid: it.id, permission: it.permission })),
          })
        }
      />
      <Shares
        label={t("Shared with users")}
        add={t("Add user")}
        names={users.data ?? []}
        first={isPublic ? WRITE : READ}
        error={errorOf(sharing.users)}
        lines={sharing.users.map((it) => ({ id: it.userid, permission: it.permission }))}
        onChange={(lines) =>
          onChange({
            users: lines.map((it) => ({ userid: it.id, permission: it.permission })),
          })
        }
      />
    </>
  );
}

interface Share {
  readonly id: Id;
  readonly permission: string;
}

interface SharesProps {
  readonly label: string;
  readonly add: string;
  readonly names: readonly { readonly id: Id; readonly name: string }[];
  readonly lines: readonly Share[];
  /** the permission of a new line */
  readonly first: string;
  readonly error: string | undefined;
  readonly onChange: (lines: readonly Share[]) => void;
}

function Shares({ label, add, names, lines, first, error, onChange }: SharesProps) {
  const taken = new Set(lines.map((it) => it.id));
  const free = names.filter(({ id }) => !taken.has(id));
  const set = (at: number, part: Partial<Share>) =>
    onChange(lines.map((it, n) => (n === at ? { ...it, ...part } : it)));
  return (
    <Input.Wrapper label={label} labelElement="div" error={error}>
      <div className={classes["lines"]}>
        {lines.map((line, at) => (
          <div key={line.id} className={classes["line"]}>
            <Select
              aria-label={`${label} ${at + 1}`}
              data={nameOptions(
                names.filter(({ id }) => id === line.id || !taken.has(id)),
                [line.id],
              )}
              value={line.id}
              allowDeselect={false}
              searchable
              onChange={(id) => id !== null && set(at, { id })}
            />
            <Select
              aria-label={t("{label}, permission {n}", { label, n: at + 1 })}
              data={[
                { value: READ, label: t("Read-only") },
                { value: WRITE, label: t("Read-write") },
              ]}
              value={line.permission}
              allowDeselect={false}
              onChange={(permission) => permission !== null && set(at, { permission })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={22}
              aria-label={t("{label}, remove {n}", { label, n: at + 1 })}
              onClick={() => onChange(lines.filter((_, n) => n !== at))}
            >
              <IconX size={14} />
            </ActionIcon>
          </div>
        ))}
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconPlus size={13} />}
          disabled={free.length === 0}
          onClick={() => {
            const [next] = free;
            if (next !== undefined) onChange([...lines, { id: next.id, permission: first }]);
          }}
        >
          {add}
        </Button>
      </div>
    </Input.Wrapper>
  );
}
