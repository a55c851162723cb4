// The page of a graph or graph prototype of a host or template, to configure it. What is inherited or discovered
// is looked at here, and changed where it comes from.

import { Switch } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { StoredGraph } from "@/api/graphs";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import type { Owner } from "@/lib/owner";
import type { TimeRange } from "@/lib/time";
import { KeptNote } from "@/ui/kept-note";
import { useLock } from "@/ui/rights";
import { ObjectArea } from "@/widgets/editable";
import { StoredGraphFigure } from "@/widgets/graph/stored-graph";
import { useZoom } from "@/widgets/graph/zoom";
import { ObjectPage } from "@/widgets/objects/object-page";
import { GraphForm } from "./graph-form";
import classes from "./graphs.module.css";
import { GRAPH_PROTOTYPES, GRAPHS, useGraph, useGraphPrototype, useSetDiscover } from "./queries";

export interface GraphConfigPageProps {
  readonly owner: Owner;
  readonly graphid: Id | "new";
  readonly onDone: () => void;
}

const DISCOVERED = "4";

const isInherited = (graph: StoredGraph | undefined) =>
  graph !== undefined && graph.templateid !== "0";

export function GraphConfigPage({ owner, graphid, onDone }: GraphConfigPageProps) {
  const query = useGraph(graphid);
  return (
    <ObjectPage
      id={graphid}
      words={GRAPHS.words}
      query={query}
      actions={
        owner.kind === "host" && graphid !== "new" ? (
          <Link to="/graphs/$graphid" params={{ graphid }}>
            {t("Open")}
          </Link>
        ) : undefined
      }
    >
      {(graph) =>
        graph !== undefined && (isInherited(graph) || graph.flags === DISCOVERED) ? (
          <>
            <p className={classes["note"]}>
              {graph.flags === DISCOVERED
                ? t("This graph was created by discovery: change its prototype.")
                : t("This graph comes from a template: change it there.")}
            </p>
            {owner.kind === "host" ? <Drawn graph={graph} /> : null}
          </>
        ) : (
          <ObjectArea kind="graph" id={graph?.graphid}>
            <GraphForm key={graphid} owner={owner} graph={graph} onDone={onDone} />
          </ObjectArea>
        )
      }
    </ObjectPage>
  );
}

const HEIGHT = 240;

function Drawn({ graph }: { readonly graph: StoredGraph }) {
  const [range, setRange] = useState<TimeRange>({ from: "now-1h", to: "now" });
  const zoom = useZoom(range, setRange);
  return <StoredGraphFigure graph={graph} range={range} zoom={zoom} height={HEIGHT} />;
}

export interface GraphPrototypePageProps extends GraphConfigPageProps {
  readonly ruleid: Id;
}

export function GraphPrototypePage({ owner, ruleid, graphid, onDone }: GraphPrototypePageProps) {
  const query = useGraphPrototype(graphid);
  return (
    <ObjectPage id={graphid} words={GRAPH_PROTOTYPES.words} query={query}>
      {(graph) =>
        graph !== undefined && isInherited(graph) ? (
          <Inherited key={graphid} graph={graph} onDone={onDone} />
        ) : (
          <GraphForm key={graphid} owner={owner} ruleid={ruleid} graph={graph} onDone={onDone} />
        )
      }
    </ObjectPage>
  );
}

interface InheritedProps {
  readonly graph: StoredGraph;
  readonly onDone: () => void;
}

function Inherited({ graph, onDone }: InheritedProps) {
  const save = useSetDiscover(graph.graphid, onDone);
  const lock = useLock("graphprototype.update");
  return (
    <>
      <p className={classes["note"]}>
        {t(
          "This graph prototype comes from a template: change it there. Only this setting can be changed here:",
        )}
      </p>
      {lock === undefined ? null : <KeptNote>{lock}</KeptNote>}
      <Switch
        label={t("Discover")}
        checked={graph.discover !== "1"}
        disabled={save.isPending || lock !== undefined}
        onChange={(event) => save.mutate(event.currentTarget.checked)}
      />
    </>
  );
}
