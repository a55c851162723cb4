import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { DiscoveredPage } from "@/features/networkdiscovery/discovered-page";
import { NetworkRulePage } from "@/features/networkdiscovery/rule-page";
import { NetworkRulesPage } from "@/features/networkdiscovery/rules-page";

export function NetworkRulesRoute() {
  const { q = "" } = useSearch({ from: "/shell/network-discovery" });
  const navigate = useNavigate();
  return (
    <NetworkRulesPage
      text={q}
      onText={(text) =>
        void navigate({
          to: "/network-discovery",
          search: text === "" ? {} : { q: text },
          replace: true,
        })
      }
    />
  );
}

export function NetworkRuleRoute() {
  const { druleid } = useParams({ from: "/shell/network-discovery/$druleid" });
  const navigate = useNavigate();
  return (
    <NetworkRulePage
      druleid={druleid}
      onDone={() => void navigate({ to: "/network-discovery", ignoreBlocker: true })}
    />
  );
}

export function DiscoveredRoute() {
  const { q = "", rule, status } = useSearch({ from: "/shell/discovered" });
  const navigate = useNavigate();
  return (
    <DiscoveredPage
      filter={{ text: q, rule, status }}
      onFilter={(filter) =>
        void navigate({
          to: "/discovered",
          search: {
            ...(filter.text === "" ? {} : { q: filter.text }),
            ...(filter.rule === undefined ? {} : { rule: filter.rule }),
            ...(filter.status === undefined ? {} : { status: filter.status }),
          },
          replace: true,
        })
      }
    />
  );
}
