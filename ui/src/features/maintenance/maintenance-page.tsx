import { ObjectArea } from "@/widgets/editable";
import { ObjectPage } from "@/widgets/objects/object-page";
import { MaintenanceForm } from "./maintenance-form";
import { MAINTENANCES, useMaintenance } from "./queries";

export interface MaintenancePageProps {
  readonly maintenanceid: string;
  /** which maintenances go by */
  readonly serverZone: string;
  readonly onDone: () => void;
}

export function MaintenancePage({ maintenanceid, serverZone, onDone }: MaintenancePageProps) {
  return (
    <ObjectPage
      id={maintenanceid}
      audited="maintenance"
      words={MAINTENANCES.words}
      query={useMaintenance(maintenanceid)}
    >
      {(maintenance) => (
        <ObjectArea kind="maintenance" id={maintenance?.maintenanceid}>
          <MaintenanceForm
            key={maintenanceid}
            maintenance={maintenance}
            serverZone={serverZone}
            onDone={onDone}
          />
        </ObjectArea>
      )}
    </ObjectPage>
  );
}
