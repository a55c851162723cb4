import { t } from "@/lib/i18n";
import { Page } from "@/ui/page";
import { EmptyState, QueryGate } from "@/ui/states";
import { useSla } from "./queries";
import { SlaForm } from "./sla-form";

export interface SlaPageProps {
  readonly slaid: string;
  readonly onDone: () => void;
}

export function SlaPage({ slaid, onDone }: SlaPageProps) {
  const query = useSla(slaid);
  if (slaid === "new") {
    return (
      <Page title={t("New SLA")} scroll>
        <SlaForm sla={undefined} onDone={onDone} />
      </Page>
    );
  }
  return (
    <Page title={query.data?.name ?? t("SLA")} scroll>
      <QueryGate query={query}>
        {(sla) =>
          sla === null ? (
            <EmptyState title={t("There is no such SLA.")} />
          ) : (
            <SlaForm key={slaid} sla={sla} onDone={onDone} />
          )
        }
      </QueryGate>
    </Page>
  );
}
