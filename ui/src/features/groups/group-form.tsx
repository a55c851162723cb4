// A group of hosts or templates: its name, and the permissions of its subgroups.

import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { type GroupKind, propagateRights } from "@/api/groups";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { Confirm } from "@/ui/confirm";
import { Section } from "@/ui/form";
import { notifyDone, notifyFailed } from "@/ui/notify";
import { May } from "@/ui/rights";
import type { ObjectCalls } from "@/widgets/objects/calls";
import { NameField } from "@/widgets/objects/fields";
import { ObjectForm } from "@/widgets/objects/object-form";

interface GroupFields {
  readonly name: string;
}

export interface GroupFormProps {
  readonly kind: GroupKind;
  readonly calls: ObjectCalls<GroupFields>;
  readonly group: { readonly groupid: Id; readonly name: string } | undefined;
  readonly onDone: () => void;
}

export function GroupForm({ kind, calls, group, onDone }: GroupFormProps) {
  return (
    <ObjectForm<GroupFields, GroupFields>
      calls={calls}
      existing={group && { id: group.groupid, name: group.name }}
      first={() => ({ name: group?.name ?? "" })}
      isComplete={({ name }) => name.trim() !== ""}
      draftOf={({ name }) => ({ name: name.trim() })}
      extra={group && <Propagate kind={kind} groupid={group.groupid} />}
      onDone={() => onDone()}
    >
      {(parts) => (
        <Section
          title={calls.words.one}
          hint={t("A slash makes a subgroup: Linux/Databases is a subgroup of Linux.")}
        >
          <NameField {...parts} />
        </Section>
      )}
    </ObjectForm>
  );
}

interface PropagateProps {
  readonly kind: GroupKind;
  readonly groupid: Id;
}

function Propagate({ kind, groupid }: PropagateProps) {
  const [asked, setAsked] = useState(false);
  const propagate = useMutation({
    mutationFn: () => propagateRights(kind, groupid),
    onSuccess: () => notifyDone(t("Permissions applied to the subgroups")),
    onError: (error) => notifyFailed(t("The permissions could not be applied."), error),
    onSettled: () => setAsked(false),
  });
  return (
    <May call={`${kind}.propagate`}>
      <Button variant="default" onClick={() => setAsked(true)}>
        {t("Apply permissions to subgroups")}
      </Button>
      <Confirm
        opened={asked}
        title={t("Apply permissions to all subgroups?")}
        action={t("Apply")}
        busy={propagate.isPending}
        onConfirm={() => propagate.mutate()}
        onClose={() => setAsked(false)}
      >
        {kind === "hostgroup"
          ? t("Permissions and tag filters of user groups on the subgroups are replaced.")
          : t("Permissions of user groups on the subgroups are replaced.")}
      </Confirm>
    </May>
  );
}
