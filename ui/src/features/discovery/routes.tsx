// A rule, or the prototype of one: both have their pages under the same address.

import { useNavigate } from "@tanstack/react-router";
import { ownerPath } from "@/lib/owner";
import { useOwned } from "@/widgets/owner-pages";
import { RulePage } from "./rule-page";

export function RuleRoute() {
  const { params } = useOwned();
  return <RuleOf ruleid={params["ruleid"] ?? "new"} />;
}

export function RulePrototypeRoute() {
  const { params } = useOwned();
  return <RuleOf ruleid="new" parent={params["ruleid"]} />;
}

interface RuleOfProps {
  readonly ruleid: string;
  readonly parent?: string | undefined;
}

function RuleOf({ ruleid, parent }: RuleOfProps) {
  const { owner } = useOwned();
  const navigate = useNavigate();
  const base = ownerPath(owner, "discovery");
  const open = (below: string) => void navigate({ href: `${base}/${ruleid}/${below}` });
  const close = (shown: string | undefined) =>
    void navigate({ href: shown === undefined ? base : `${base}/${shown}`, ignoreBlocker: true });
  return (
    <RulePage
      key={ruleid}
      owner={owner}
      ruleid={ruleid}
      parent={parent}
      onDone={(created) => close(created ?? parent)}
      onPrototype={(itemid) => open(`prototypes/${itemid}`)}
      onTriggerPrototype={(triggerid) => open(`trigger-prototypes/${triggerid}`)}
      onHostPrototype={(hostid) => open(`host-prototypes/${hostid}`)}
      onGraphPrototype={(graphid) => open(`graph-prototypes/${graphid}`)}
      onRulePrototype={() => open("rule-prototypes/new")}
    />
  );
}
