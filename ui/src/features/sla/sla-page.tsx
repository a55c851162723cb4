import { ObjectPage } from "@/widgets/objects/object-page";
import { SLAS, useSla } from "./queries";
import { SlaForm } from "./sla-form";

export interface SlaPageProps {
  readonly slaid: string;
  readonly serverZone: string;
  readonly onDone: () => void;
}

export function SlaPage({ slaid, serverZone, onDone }: SlaPageProps) {
  return (
    <ObjectPage id={slaid} words={SLAS.words} query={useSla(slaid)}>
      {(sla) => <SlaForm key={slaid} sla={sla} serverZone={serverZone} onDone={onDone} />}
    </ObjectPage>
  );
}
