import { ObjectPage } from "@/widgets/objects/object-page";
import { SCRIPTS, useScript } from "./queries";
import { ScriptForm } from "./script-form";

export interface ScriptPageProps {
  readonly scriptid: string;
  readonly onDone: () => void;
}

export function ScriptPage({ scriptid, onDone }: ScriptPageProps) {
  return (
    <ObjectPage id={scriptid} audited="script" words={SCRIPTS.words} query={useScript(scriptid)}>
      {(script) => <ScriptForm key={scriptid} script={script} onDone={onDone} />}
    </ObjectPage>
  );
}
