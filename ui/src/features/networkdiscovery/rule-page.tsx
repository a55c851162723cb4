import { ObjectPage } from "@/widgets/objects/object-page";
import { NETWORK_RULES, useNetworkRule } from "./queries";
import { NetworkRuleForm } from "./rule-form";

export interface NetworkRulePageProps {
  readonly druleid: string;
  readonly onDone: () => void;
}

export function NetworkRulePage({ druleid, onDone }: NetworkRulePageProps) {
  return (
    <ObjectPage id={druleid} words={NETWORK_RULES.words} query={useNetworkRule(druleid)}>
      {(rule) => <NetworkRuleForm key={druleid} rule={rule} onDone={onDone} />}
    </ObjectPage>
  );
}
