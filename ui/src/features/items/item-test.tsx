import type { ItemRow } from "@/api/items";
import type { ItemPrototypeRow } from "@/api/prototypes";
import type { Id } from "@/api/types";
import { AGENT_ACTIVE, CALCULATED, DEPENDENT, itemKind } from "@/lib/item-types";
import type { Owner } from "@/lib/owner";
import { useOwner } from "@/widgets/owner";
import { requestOf } from "@/widgets/request/request-fields";
import { TestButton } from "@/widgets/steps/test-button";
import type { Sample, TestSubject } from "@/widgets/steps/test-subject";
import { checkItem, type ItemFields } from "./item-fields";
import { useMasters } from "./queries";
import { interfaceFor } from "./source-fields";

export interface ItemTestProps {
  readonly owner: Owner;
  readonly item: ItemRow | ItemPrototypeRow | undefined;
  readonly ruleid: Id | undefined;
  readonly fields: ItemFields;
  readonly onIncomplete: () => void;
}

export function ItemTest({ owner, item, ruleid, fields, onIncomplete }: ItemTestProps) {
  const details = useOwner(owner);
  const masters = useMasters(owner.id, ruleid);
  const master = masters.data?.find((it) => it.itemid === fields.masterItemid);
  const checks = checkItem(fields);
  const subject: TestSubject = {
    owner,
    valueType: fields.valueType,
    sample: sampleOf(fields, item, master),
    isComputed: fields.type === CALCULATED,
    isPrototype: ruleid !== undefined,
    ask:
      owner.kind === "host" && canBeAsked(fields) && checks.key.ok && checks.formula.ok
        ? {
            hostid: owner.id,
            itemid: item?.itemid,
            item: {
              type: fields.type,
              key_: fields.key.trim(),
              interfaceid: interfaceFor(fields, details.data?.interfaces ?? []),
              snmp_oid: fields.snmpOid.trim(),
              ...requestOf(fields),
              ...(fields.type === CALCULATED ? { params: fields.formula } : {}),
            },
          }
        : undefined,
  };
  return (
    <TestButton
      subject={subject}
      steps={fields.steps}
      complete={checks.steps.every((it) => it.ok)}
      onIncomplete={onIncomplete}
    />
  );
}

/** An active agent comes by itself: a value of its latest, or one that is typed, is tried. */
function canBeAsked({ type }: ItemFields): boolean {
  return itemKind(type).polled && type !== AGENT_ACTIVE;
}

/** Stored values that can stand for what the steps will get. Prototypes have none. */
function sampleOf(
  fields: ItemFields,
  item: ItemRow | ItemPrototypeRow | undefined,
  master: ItemRow | ItemPrototypeRow | undefined,
): Sample | undefined {
  if (fields.type === DEPENDENT) return master === undefined ? undefined : stored(master, true);
  return item === undefined ? undefined : stored(item, false);
}

function stored(item: ItemRow | ItemPrototypeRow, isMaster: boolean): Sample | undefined {
  if (!("state" in item)) return undefined;
  return { itemid: item.itemid, valueType: Number(item.value_type), isMaster };
}
