import { t } from "@/lib/i18n";
import { Page } from "@/ui/page";
import { EmptyState, QueryGate } from "@/ui/states";
import { useService, useServices } from "./queries";
import { ServiceForm } from "./service-form";

export interface ServicePageProps {
  readonly serviceid: string;
  /** of a new one: where it is to stand */
  readonly parent: string | undefined;
  readonly onDone: () => void;
}

export function ServicePage({ serviceid, parent, onDone }: ServicePageProps) {
  const query = useService(serviceid);
  const all = useServices();
  if (serviceid === "new") {
    return (
      <Page title={t("New service")} scroll>
        <QueryGate query={all}>
          {(services) => (
            <ServiceForm
              service={undefined}
              services={services}
              parents={services.filter((it) => it.serviceid === parent)}
              onDone={onDone}
            />
          )}
        </QueryGate>
      </Page>
    );
  }
  return (
    <Page title={query.data?.name ?? t("Service")} scroll>
      <QueryGate query={query}>
        {(service) =>
          service === null ? (
            <EmptyState title={t("There is no such service.")} />
          ) : (
            <ServiceForm
              key={serviceid}
              service={service}
              services={all.data ?? []}
              parents={[]}
              onDone={onDone}
            />
          )
        }
      </QueryGate>
    </Page>
  );
}
