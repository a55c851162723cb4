import { Outlet, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { t } from "@/lib/i18n";
import { NotFound } from "@/ui/not-found";
import { Page } from "@/ui/page";
import { ObjectGate } from "@/ui/states";
import { ChangeHistory } from "@/widgets/audit/change-history";
import { ObjectArea, useRightsOf } from "@/widgets/editable";
import { ScriptMenu } from "@/widgets/scripts/script-menu";
import { TabStrip } from "@/widgets/tab-strip";
import { AvailabilityMarks } from "./availability";
import type { HostsSearch } from "./filter";
import { FirstRunPage, type FirstWay } from "./first-run-page";
import { HostForm } from "./host-form";
import { type GraphsSearch, HostGraphs } from "./host-graphs";
import { HostsPage } from "./hosts-page";
import { InventoryForm } from "./inventory-form";
import { InventoryPage, type InventorySearch } from "./inventory-page";
import { HostOverview, type OverviewSearch } from "./overview/overview-page";
import { useAvailabilityUpdates, useHost, useInventory } from "./queries";

export function HostsRoute() {
  const search = useSearch({ from: "/shell/hosts" });
  const navigate = useNavigate();
  return (
    <HostsPage
      search={search}
      onSearch={(next: HostsSearch) => void navigate({ to: "/hosts", search: next, replace: true })}
    />
  );
}

const WAYS: readonly FirstWay[] = ["agent", "snmp", "templates"];

export function StartRoute() {
  const { way } = useSearch({ from: "/shell/start" });
  const navigate = useNavigate();
  return (
    <FirstRunPage
      way={WAYS.find((it) => it === way) ?? "agent"}
      onWay={(next) => void navigate({ to: "/start", search: { way: next }, replace: true })}
    />
  );
}

export function HostNewRoute() {
  const navigate = useNavigate();
  const back = () => void navigate({ to: "/hosts", ignoreBlocker: true });
  return (
    <Page title={t("New host")} scroll>
      <HostForm
        host={undefined}
        onDone={(hostid) =>
          hostid === undefined
            ? back()
            : void navigate({ to: "/hosts/$hostid", params: { hostid }, ignoreBlocker: true })
        }
        onDeleted={back}
      />
    </Page>
  );
}

const TABS: readonly (readonly [path: string, name: string])[] = [
  ["overview", t("Overview")],
  ["graphs", t("Graphs")],
  ["dashboards", t("Dashboards")],
  ["latest", t("Latest data")],
  ["problems", t("Problems")],
  ["items", t("Items")],
  ["triggers", t("Triggers")],
  ["discovery", t("Discovery")],
  ["web", t("Web")],
  ["macros", t("Macros")],
  ["valuemaps", t("Value maps")],
  ["inventory", t("Inventory")],
  ["configuration", t("Configuration")],
];

export function HostLayout() {
  const { hostid } = useParams({ from: "/shell/hosts/$hostid" });
  const query = useHost(hostid);
  // asked alongside the host, not after it
  useRightsOf("host", hostid);
  useAvailabilityUpdates();
  return (
    <ObjectGate
      query={query}
      absent={
        <NotFound
          title={t("There is no such host.")}
          list={{ path: "/hosts", name: t("All hosts") }}
        />
      }
    >
      {(host) => (
        <>
          <TabStrip
            label={t("Host {name}", { name: host.name })}
            title={
              <>
                <span className="ellipsis" title={host.name}>
                  {host.name}
                </span>
                <AvailabilityMarks host={host} />
                {host.status === "1" ? <span className="bad">{t("Disabled")}</span> : null}
              </>
            }
            end={<ScriptMenu hostid={hostid} />}
            tabs={TABS.map(([path, name]) => ({ path: `/hosts/${hostid}/${path}`, name }))}
          />
          <ObjectArea kind="host" id={hostid}>
            <Outlet />
          </ObjectArea>
        </>
      )}
    </ObjectGate>
  );
}

export function HostOverviewRoute() {
  const { hostid } = useParams({ from: "/shell/hosts/$hostid/overview" });
  const search = useSearch({ from: "/shell/hosts/$hostid/overview" });
  const navigate = useNavigate();
  return (
    <HostOverview
      key={hostid}
      hostid={hostid}
      search={search}
      onSearch={(next: OverviewSearch) =>
        void navigate({
          to: "/hosts/$hostid/overview",
          params: { hostid },
          search: next,
          replace: true,
        })
      }
    />
  );
}

export function HostGraphsRoute() {
  const { hostid } = useParams({ from: "/shell/hosts/$hostid/graphs" });
  const search = useSearch({ from: "/shell/hosts/$hostid/graphs" });
  const navigate = useNavigate();
  return (
    <HostGraphs
      hostid={hostid}
      search={search}
      onSearch={(next: GraphsSearch) =>
        void navigate({
          to: "/hosts/$hostid/graphs",
          params: { hostid },
          search: next,
          replace: true,
        })
      }
    />
  );
}

export function HostInventoryRoute() {
  const { hostid } = useParams({ from: "/shell/hosts/$hostid/inventory" });
  const search = useSearch({ from: "/shell/hosts/$hostid/inventory" });
  const navigate = useNavigate();
  return (
    <InventoryPage
      hostid={hostid}
      search={search}
      onSearch={(next: InventorySearch) =>
        void navigate({
          to: "/hosts/$hostid/inventory",
          params: { hostid },
          search: next,
          replace: true,
        })
      }
    />
  );
}

export function HostInventoryEditRoute() {
  const { hostid } = useParams({ from: "/shell/hosts/$hostid/inventory/edit" });
  const query = useInventory(hostid);
  const navigate = useNavigate();
  return (
    <Page title={t("Inventory")} scroll>
      <ObjectGate query={query} absent={null}>
        {(inventory) => (
          <InventoryForm
            key={hostid}
            hostid={hostid}
            inventory={inventory}
            onDone={() =>
              void navigate({
                to: "/hosts/$hostid/inventory",
                params: { hostid },
                ignoreBlocker: true,
              })
            }
          />
        )}
      </ObjectGate>
    </Page>
  );
}

export function HostEditRoute() {
  const { hostid } = useParams({ from: "/shell/hosts/$hostid/configuration" });
  const query = useHost(hostid);
  const navigate = useNavigate();
  return (
    <Page title={t("Configuration")} actions={<ChangeHistory kind="host" id={hostid} />} scroll>
      <ObjectGate query={query} absent={null}>
        {(host) => (
          <HostForm
            key={hostid}
            host={host}
            // a clone is another host
            onDone={(created) =>
              void navigate({
                to: "/hosts/$hostid",
                params: { hostid: created ?? hostid },
                ignoreBlocker: true,
              })
            }
            onDeleted={() => void navigate({ to: "/hosts", ignoreBlocker: true })}
          />
        )}
      </ObjectGate>
    </Page>
  );
}
