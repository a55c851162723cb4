import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { Page } from "@/ui/page";
import { May } from "@/ui/rights";
import { EmptyState, ObjectGate } from "@/ui/states";
import { ChangeHistory } from "@/widgets/audit/change-history";
import type { Owner } from "@/widgets/owner";
import { StateNote } from "@/widgets/state-note";
import { ClearHistory } from "./clear-history";
import { ItemForm } from "./item-form";
import classes from "./items.module.css";
import { useItem } from "./queries";

export interface ItemPageProps {
  readonly owner: Owner;
  readonly itemid: Id | "new";
  readonly onDone: () => void;
}

export function ItemPage({ owner, itemid, onDone }: ItemPageProps) {
  const query = useItem(itemid);
  if (itemid === "new") {
    return (
      <Page title={t("New item")} scroll>
        <ItemForm owner={owner} item={undefined} onDone={onDone} />
      </Page>
    );
  }
  return (
    <Page
      title={query.data?.name ?? t("Item")}
      actions={
        <>
          {owner.kind === "host" && query.data ? (
            <May call="history.clear">
              <ClearHistory itemid={itemid} name={query.data.name} />
            </May>
          ) : null}
          <ChangeHistory kind="item" id={itemid} />
        </>
      }
      scroll
    >
      <ObjectGate query={query} absent={<EmptyState title={t("There is no such item.")} />}>
        {(item) => (
          <div className={classes["page"]}>
            <StateNote state={item.state} error={item.error} />
            <ItemForm key={itemid} owner={owner} item={item} onDone={onDone} />
          </div>
        )}
      </ObjectGate>
    </Page>
  );
}
