import { ObjectPage } from "@/widgets/objects/object-page";
import { CorrelationForm } from "./correlation-form";
import { CORRELATIONS, useCorrelation } from "./queries";

export interface CorrelationPageProps {
  readonly correlationid: string;
  readonly onDone: () => void;
}

export function CorrelationPage({ correlationid, onDone }: CorrelationPageProps) {
  return (
    <ObjectPage id={correlationid} words={CORRELATIONS.words} query={useCorrelation(correlationid)}>
      {(correlation) => (
        <CorrelationForm key={correlationid} correlation={correlation} onDone={onDone} />
      )}
    </ObjectPage>
  );
}
