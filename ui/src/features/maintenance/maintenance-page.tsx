import { t } from "@/lib/i18n";
import { Page } from "@/ui/page";
import { EmptyState, QueryGate } from "@/ui/states";
import { MaintenanceForm } from "./maintenance-form";
import { useMaintenance } from "./queries";

export interface MaintenancePageProps {
  readonly maintenanceid: string;
  readonly onDone: () => void;
}

export function MaintenancePage({ maintenanceid, onDone }: MaintenancePageProps) {
  const query = useMaintenance(maintenanceid);
  if (maintenanceid === "new") {
    return (
      <Page title={t("New maintenance")} scroll>
        <MaintenanceForm maintenance={undefined} onDone={onDone} />
      </Page>
    );
  }
  return (
    <Page title={query.data?.name ?? t("Maintenance")} scroll>
      <QueryGate query={query}>
        {(found) =>
          found === null ? (
            <EmptyState title={t("There is no such maintenance.")} />
          ) : (
            <MaintenanceForm key={maintenanceid} maintenance={found} onDone={onDone} />
          )
        }
      </QueryGate>
    </Page>
  );
}
