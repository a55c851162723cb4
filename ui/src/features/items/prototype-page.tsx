import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { Page } from "@/ui/page";
import { EmptyState, ObjectGate } from "@/ui/states";
import type { Owner } from "@/widgets/owner";
import { ItemForm } from "./item-form";
import { usePrototype } from "./queries";

export interface PrototypePageProps {
  readonly owner: Owner;
  readonly ruleid: Id;
  readonly itemid: Id | "new";
  readonly onDone: () => void;
}

export function PrototypePage({ owner, ruleid, itemid, onDone }: PrototypePageProps) {
  const query = usePrototype(itemid);
  if (itemid === "new") {
    return (
      <Page title={t("New item prototype")} scroll>
        <ItemForm owner={owner} item={undefined} ruleid={ruleid} onDone={onDone} />
      </Page>
    );
  }
  return (
    <Page title={query.data?.name ?? t("Item prototype")} scroll>
      <ObjectGate
        query={query}
        absent={<EmptyState title={t("There is no such item prototype.")} />}
      >
        {(item) => (
          <ItemForm key={itemid} owner={owner} item={item} ruleid={ruleid} onDone={onDone} />
        )}
      </ObjectGate>
    </Page>
  );
}
