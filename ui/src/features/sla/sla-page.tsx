import { ObjectPage } from "@/widgets/objects/object-page";
import { SLAS, useSla } from "./queries";
import { SlaForm } from "./sla-form";

export interface SlaPageProps {
  readonly slaid: string;
  readonly onDone: () => void;
}

export function SlaPage({ slaid, onDone }: SlaPageProps) {
  return (
    <ObjectPage id={slaid} words={SLAS.words} query={useSla(slaid)}>
      {(sla) => <SlaForm key={slaid} sla={sla} onDone={onDone} />}
    </ObjectPage>
  );
}
