import type { Id, Item, ItemPrototype } from "@/api/types";
import { AGENT_ACTIVE, DEPENDENT, itemKind } from "@/lib/item-types";
import type { Owner } from "@/widgets/owner";
import { TestButton } from "@/widgets/steps/test-button";
import type { Sample, TestSubject } from "@/widgets/steps/test-subject";
import { checkItem, type ItemFields } from "./item-fields";
import { useMasters } from "./queries";

export interface ItemTestProps {
  readonly owner: Owner;
  readonly item: Item | ItemPrototype | undefined;
  readonly ruleid: Id | undefined;
  readonly fields: ItemFields;
  readonly onIncomplete: () => void;
}

export function ItemTest({ owner, item, ruleid, fields, onIncomplete }: ItemTestProps) {
  const masters = useMasters(owner.id, ruleid);
  const master = masters.data?.find((it) => it.itemid === fields.masterItemid);
  const checks = checkItem(fields);
  const subject: TestSubject = {
    owner,
    valueType: fields.valueType,
    sample: sampleOf(fields, item, master),
    ask:
      item !== undefined && owner.kind === "host" && ruleid === undefined && canBeAsked(item)
        ? { hostid: owner.id, itemid: item.itemid }
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

/** As it is saved: what the form has meanwhile does not count. An active agent comes by itself. */
function canBeAsked({ type }: Item | ItemPrototype): boolean {
  return itemKind(type).polled && Number(type) !== AGENT_ACTIVE;
}

/** Stored values that can stand for what the steps will get. Prototypes have none. */
function sampleOf(
  fields: ItemFields,
  item: Item | ItemPrototype | undefined,
  master: Item | ItemPrototype | undefined,
): Sample | undefined {
  if (fields.type === DEPENDENT) return master === undefined ? undefined : stored(master, true);
  return item === undefined ? undefined : stored(item, false);
}

function stored(item: Item | ItemPrototype, isMaster: boolean): Sample | undefined {
  if (!("state" in item)) return undefined;
  return { itemid: item.itemid, valueType: Number(item.value_type), isMaster };
}
