// A host at a glance, without any configuration: its availability, its problems, the values of its parts.

import { useMemo } from "react";
import { useLiveItems } from "@/api/latest-store";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import type { TimeRange } from "@/lib/time";
import { wordMatcher } from "@/lib/words";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { TimeRangePicker } from "@/ui/time-range-picker";
import { useGraphItems, useHost } from "../queries";
import { componentsOf } from "./components";
import { Components } from "./components-panel";
import { entityTables } from "./entities";
import { Entities } from "./entities-panel";
import classes from "./overview.module.css";
import { useDiscovered } from "./queries";
import { Events, Facts, Inventory, MaintenanceNote, Problems } from "./side";
import { Strips } from "./strips";

export interface OverviewSearch {
  readonly from?: string;
  readonly to?: string;
  readonly q?: string;
}

export interface HostOverviewProps {
  readonly hostid: Id;
  readonly search: OverviewSearch;
  readonly onSearch: (search: OverviewSearch) => void;
}

const DEFAULT_RANGE: TimeRange = { from: "now-1d", to: "now" };

export function HostOverview({ hostid, search, onSearch }: HostOverviewProps) {
  const host = useHost(hostid);
  const items = useGraphItems(hostid);
  const discovered = useDiscovered(hostid);
  const { from = DEFAULT_RANGE.from, to = DEFAULT_RANGE.to } = search;
  const range = useMemo((): TimeRange => ({ from, to }), [from, to]);
  const text = search.q ?? "";
  const itemids = useMemo(() => (items.data ?? []).map((it) => it.itemid), [items.data]);
  useLiveItems(itemids);
  const rows = useMemo(
    () => new Map((items.data ?? []).map((it) => [it.itemid, it])),
    [items.data],
  );
  const tables = useMemo(
    () => (discovered.data === undefined ? [] : entityTables(discovered.data)),
    [discovered.data],
  );
  const components = useMemo(() => {
    const inTables = new Set((discovered.data?.items ?? []).map((it) => it.itemid));
    const matches = wordMatcher(text);
    const found = (items.data ?? []).filter((it) => matches(() => [it.name, it.key]));
    return componentsOf(found, inTables);
  }, [items.data, discovered.data, text]);
  return (
    <Page
      title={t("Overview")}
      note={plural(itemids.length, "1 item", "{n} items")}
      actions={
        <>
          <SearchBox
            value={text}
            onChange={(q) => onSearch({ ...search, q })}
            placeholder={t("Search items")}
          />
          <TimeRangePicker
            range={range}
            onChange={(next) => onSearch({ ...search, from: next.from, to: next.to })}
          />
        </>
      }
      scroll
    >
      <MaintenanceNote hostid={hostid} />
      <Strips hostid={hostid} rows={items.data ?? []} range={range} />
      <div className={classes["overview"]}>
        <div className={classes["main"]}>
          <QueryGate query={items}>
            {(all) =>
              all.length === 0 ? (
                <EmptyState title={t("No items yet")}>
                  {t("Link a template to the host to see its values here.")}
                </EmptyState>
              ) : (
                <>
                  {tables.map((table) => (
                    <Entities key={table.ruleid} table={table} rows={rows} range={range} />
                  ))}
                  <Components components={components} range={range} />
                </>
              )
            }
          </QueryGate>
        </div>
        <div className={classes["side"]}>
          <Problems hostid={hostid} />
          <Events hostid={hostid} />
          {host.data ? <Facts host={host.data} /> : null}
          <Inventory hostid={hostid} />
        </div>
      </div>
    </Page>
  );
}
