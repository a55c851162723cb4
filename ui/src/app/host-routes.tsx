import { Link, Outlet, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { AvailabilityMarks } from "@/features/hosts/availability";
import type { HostsSearch } from "@/features/hosts/filter";
import { HostForm } from "@/features/hosts/host-form";
import { type GraphsSearch, HostGraphs } from "@/features/hosts/host-graphs";
import { HostsPage } from "@/features/hosts/hosts-page";
import { InventoryForm } from "@/features/hosts/inventory-form";
import { InventoryPage, type InventorySearch } from "@/features/hosts/inventory-page";
import { useAvailabilityTold, useHost, useInventory } from "@/features/hosts/queries";
import { t } from "@/lib/i18n";
import { NotFound } from "@/ui/not-found";
import { Page } from "@/ui/page";
import { QueryGate } from "@/ui/states";
import { ScriptMenu } from "@/widgets/scripts/script-menu";
import classes from "./shell.module.css";

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

const TABS = [
  { to: "/hosts/$hostid/graphs", name: "Graphs" },
  { to: "/hosts/$hostid/latest", name: "Latest data" },
  { to: "/hosts/$hostid/problems", name: "Problems" },
  { to: "/hosts/$hostid/items", name: "Items" },
  { to: "/hosts/$hostid/triggers", name: "Triggers" },
  { to: "/hosts/$hostid/discovery", name: "Discovery" },
  { to: "/hosts/$hostid/web", name: "Web" },
  { to: "/hosts/$hostid/inventory", name: "Inventory" },
  { to: "/hosts/$hostid/configuration", name: "Configuration" },
] as const;

export function HostLayout() {
  const { hostid } = useParams({ from: "/shell/hosts/$hostid" });
  const query = useHost(hostid);
  useAvailabilityTold();
  return (
    <QueryGate query={query}>
      {(host) =>
        host === null ? (
          <NotFound
            title={t("There is no such host.")}
            list={{ path: "/hosts", name: t("All hosts") }}
          />
        ) : (
          <>
            <nav className={classes["tabs"]} aria-label={t("Host {name}", { name: host.name })}>
              <span className={classes["tabsTitle"]}>
                {host.name}
                <AvailabilityMarks host={host} />
                {host.status === "1" ? <span className="bad">{t("Disabled")}</span> : null}
              </span>
              <span className={classes["tabsScripts"]}>
                <ScriptMenu hostid={hostid} />
              </span>
              {TABS.map(({ to, name }) => (
                <Link
                  key={to}
                  to={to}
                  params={{ hostid }}
                  className={classes["tab"]}
                  activeOptions={{ includeSearch: false }}
                  activeProps={{ "data-active": true }}
                >
                  {t(name)}
                </Link>
              ))}
            </nav>
            <Outlet />
          </>
        )
      }
    </QueryGate>
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
      <QueryGate query={query}>
        {(inventory) =>
          inventory === null ? null : (
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
          )
        }
      </QueryGate>
    </Page>
  );
}

export function HostEditRoute() {
  const { hostid } = useParams({ from: "/shell/hosts/$hostid/configuration" });
  const query = useHost(hostid);
  const navigate = useNavigate();
  return (
    <Page title={t("Configuration")} scroll>
      <QueryGate query={query}>
        {(host) =>
          host === null ? null : (
            <HostForm
              key={hostid}
              host={host}
              onDone={() =>
                void navigate({ to: "/hosts/$hostid", params: { hostid }, ignoreBlocker: true })
              }
              onDeleted={() => void navigate({ to: "/hosts", ignoreBlocker: true })}
            />
          )
        }
      </QueryGate>
    </Page>
  );
}
