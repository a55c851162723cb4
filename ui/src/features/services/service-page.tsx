import { QueryGate } from "@/ui/states";
import { ObjectArea } from "@/widgets/editable";
import { ObjectPage } from "@/widgets/objects/object-page";
import { SERVICES, useService, useServices } from "./queries";
import { ServiceForm } from "./service-form";

export interface ServicePageProps {
  readonly serviceid: string;
  /** of a new one: where it is to stand */
  readonly parent: string | undefined;
  readonly onDone: () => void;
}

export function ServicePage({ serviceid, parent, onDone }: ServicePageProps) {
  const all = useServices();
  return (
    <ObjectPage
      id={serviceid}
      audited="service"
      words={SERVICES.words}
      query={useService(serviceid)}
    >
      {(service) => (
        <QueryGate query={all}>
          {(services) => (
            <ObjectArea kind="service" id={service?.serviceid}>
              <ServiceForm
                key={serviceid}
                service={service}
                services={services}
                parents={
                  service === undefined ? services.filter((it) => it.serviceid === parent) : []
                }
                onDone={onDone}
              />
            </ObjectArea>
          )}
        </QueryGate>
      )}
    </ObjectPage>
  );
}
