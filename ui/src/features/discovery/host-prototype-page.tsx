import type { Id } from "@/api/types";
import { ObjectPage } from "@/widgets/objects/object-page";
import { HostPrototypeForm } from "./host-prototype-form";
import { hostPrototypeCalls, useHostPrototype } from "./queries";

export interface HostPrototypePageProps {
  readonly ruleid: Id;
  readonly hostid: Id | "new";
  readonly onDone: () => void;
}

export function HostPrototypePage({ ruleid, hostid, onDone }: HostPrototypePageProps) {
  const query = useHostPrototype(hostid);
  return (
    <ObjectPage id={hostid} words={hostPrototypeCalls().words} query={query}>
      {(prototype) => (
        <HostPrototypeForm key={hostid} ruleid={ruleid} prototype={prototype} onDone={onDone} />
      )}
    </ObjectPage>
  );
}
