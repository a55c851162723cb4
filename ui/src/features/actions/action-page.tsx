import { ObjectPage } from "@/widgets/objects/object-page";
import { ActionForm } from "./action-form";
import { ACTIONS, useAction } from "./queries";

export interface ActionPageProps {
  readonly actionid: string;
  /** of a new one */
  readonly source: string;
  readonly onDone: () => void;
}

export function ActionPage({ actionid, source, onDone }: ActionPageProps) {
  return (
    <ObjectPage id={actionid} audited="action" words={ACTIONS.words} query={useAction(actionid)}>
      {(action) => (
        <ActionForm
          key={action === undefined ? source : actionid}
          action={action}
          source={action?.eventsource ?? source}
          onDone={onDone}
        />
      )}
    </ObjectPage>
  );
}
