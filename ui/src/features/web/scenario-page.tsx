import type { Id } from "@/api/types";
import { ObjectPage } from "@/widgets/objects/object-page";
import type { Owner } from "@/widgets/owner";
import { SCENARIOS, useScenario } from "./queries";
import { ScenarioForm } from "./scenario-form";

export interface ScenarioPageProps {
  readonly owner: Owner;
  readonly httptestid: Id | "new";
  readonly onDone: () => void;
}

export function ScenarioPage({ owner, httptestid, onDone }: ScenarioPageProps) {
  const query = useScenario(httptestid);
  return (
    <ObjectPage id={httptestid} words={SCENARIOS.words} query={query}>
      {(scenario) => <ScenarioForm owner={owner} scenario={scenario} onDone={onDone} />}
    </ObjectPage>
  );
}
