import type { Id } from "@/api/types";
import { ObjectPage } from "@/widgets/objects/object-page";
import { HostPrototypeForm } from "./host-prototype-form";
import { hostPrototypeCalls, useHostPrototype } from "./queries";

export interface HostPrototypePageProps {
  readonly ruleid: Id;
  readonly prototypeid: Id | "new";
  readonly onDone: () => void;
}

export function HostPrototypePage({ ruleid, prototypeid, onDone }: HostPrototypePageProps) {
  const query = useHostPrototype(prototypeid);
  return (
    <ObjectPage id={prototypeid} words={hostPrototypeCalls().words} query={query}>
      {(prototype) => (
        <HostPrototypeForm
          key={prototypeid}
          ruleid={ruleid}
          prototype={prototype}
          onDone={onDone}
        />
      )}
    </ObjectPage>
  );
}
