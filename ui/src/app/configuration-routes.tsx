// Items, triggers and discovery rules below a host or a template: the same pages for both.

import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { HostPrototypePage } from "@/features/discovery/host-prototype-page";
import { RulePage } from "@/features/discovery/rule-page";
import { RulesPage } from "@/features/discovery/rules-page";
import { GraphConfigPage, GraphPrototypePage } from "@/features/graphs/config-page";
import { GraphListPage } from "@/features/graphs/list-page";
import { ItemPage } from "@/features/items/item-page";
import { ItemsPage } from "@/features/items/items-page";
import { PrototypePage } from "@/features/items/prototype-page";
import { EffectiveMacrosPage } from "@/features/macros/effective-page";
import { TriggerPage } from "@/features/triggers/trigger-page";
import { TriggerPrototypePage } from "@/features/triggers/trigger-prototype-page";
import { TriggersPage } from "@/features/triggers/triggers-page";
import { ValueMapPage } from "@/features/valuemaps/value-map-page";
import { ValueMapsPage } from "@/features/valuemaps/value-maps-page";
import { ScenarioPage } from "@/features/web/scenario-page";
import { ScenariosPage } from "@/features/web/scenarios-page";
import { type Owner, ownerPath } from "@/widgets/owner";

type Part = "items" | "triggers" | "discovery" | "web" | "macros" | "valuemaps" | "graphs/list";

function usePart(part: Part) {
  const params = useParams({ strict: false });
  const search: { readonly q?: string | undefined } = useSearch({ strict: false });
  const navigate = useNavigate();
  const owner: Owner =
    params.hostid === undefined
      ? { kind: "template", id: params.templateid ?? "" }
      : { kind: "host", id: params.hostid };
  const base = ownerPath(owner, part);
  return {
    owner,
    params,
    text: search.q ?? "",
    onText: (q: string) =>
      void navigate({
        href: q === "" ? base : `${base}?q=${encodeURIComponent(q)}`,
        replace: true,
      }),
    onOpen: (id: string) => void navigate({ href: `${base}/${id}` }),
    /** from a form that is done with: nothing of it is lost */
    onDone: (id?: string) =>
      void navigate({ href: id === undefined ? base : `${base}/${id}`, ignoreBlocker: true }),
  };
}

export function ItemsRoute() {
  const { owner, text, onText, onOpen } = usePart("items");
  return <ItemsPage key={owner.id} owner={owner} text={text} onText={onText} onOpen={onOpen} />;
}

export function ItemRoute() {
  const { owner, params, onDone } = usePart("items");
  return <ItemPage owner={owner} itemid={params.itemid ?? "new"} onDone={() => onDone()} />;
}

export function TriggersRoute() {
  const { owner, text, onText, onOpen } = usePart("triggers");
  return <TriggersPage key={owner.id} owner={owner} text={text} onText={onText} onOpen={onOpen} />;
}

export function TriggerRoute() {
  const { owner, params, onDone } = usePart("triggers");
  return (
    <TriggerPage owner={owner} triggerid={params.triggerid ?? "new"} onDone={() => onDone()} />
  );
}

export function RulesRoute() {
  const { owner, text, onText, onOpen } = usePart("discovery");
  return <RulesPage key={owner.id} owner={owner} text={text} onText={onText} onOpen={onOpen} />;
}

export function RuleRoute() {
  const { params } = usePart("discovery");
  return <RuleOf ruleid={params.ruleid ?? "new"} />;
}

export function NewRulePrototypeRoute() {
  const { params } = usePart("discovery");
  return <RuleOf ruleid="new" parent={params.ruleid} />;
}

interface RuleOfProps {
  readonly ruleid: string;
  readonly parent?: string | undefined;
}

/** A rule, or the prototype of one: both have their pages under the same address. */
function RuleOf({ ruleid, parent }: RuleOfProps) {
  const { owner, onOpen, onDone } = usePart("discovery");
  return (
    <RulePage
      key={ruleid}
      owner={owner}
      ruleid={ruleid}
      parent={parent}
      onDone={(created) => onDone(created ?? parent)}
      onPrototype={(itemid) => onOpen(`${ruleid}/prototypes/${itemid}`)}
      onTriggerPrototype={(triggerid) => onOpen(`${ruleid}/trigger-prototypes/${triggerid}`)}
      onHostPrototype={(hostid) => onOpen(`${ruleid}/host-prototypes/${hostid}`)}
      onGraphPrototype={(graphid) => onOpen(`${ruleid}/graph-prototypes/${graphid}`)}
      onRulePrototype={() => onOpen(`${ruleid}/rule-prototypes/new`)}
    />
  );
}

export function PrototypeRoute() {
  const { owner, params, onDone } = usePart("discovery");
  const { ruleid = "", itemid = "new" } = params;
  return (
    <PrototypePage owner={owner} ruleid={ruleid} itemid={itemid} onDone={() => onDone(ruleid)} />
  );
}

export function TriggerPrototypeRoute() {
  const { owner, params, onDone } = usePart("discovery");
  const { ruleid = "", triggerid = "new" } = params;
  return <TriggerPrototypePage owner={owner} triggerid={triggerid} onDone={() => onDone(ruleid)} />;
}

export function HostPrototypeRoute() {
  const { params, onDone } = usePart("discovery");
  const { ruleid = "", prototypeid = "new" } = params;
  return <HostPrototypePage ruleid={ruleid} hostid={prototypeid} onDone={() => onDone(ruleid)} />;
}

export function GraphListRoute() {
  const { owner, text, onText, onOpen } = usePart("graphs/list");
  return <GraphListPage key={owner.id} owner={owner} text={text} onText={onText} onOpen={onOpen} />;
}

export function GraphConfigRoute() {
  const { owner, params, onDone } = usePart("graphs/list");
  return (
    <GraphConfigPage owner={owner} graphid={params.graphid ?? "new"} onDone={() => onDone()} />
  );
}

export function GraphPrototypeRoute() {
  const { owner, params, onDone } = usePart("discovery");
  const { ruleid = "", graphid = "new" } = params;
  return (
    <GraphPrototypePage
      owner={owner}
      ruleid={ruleid}
      graphid={graphid}
      onDone={() => onDone(ruleid)}
    />
  );
}

export function ScenariosRoute() {
  const { owner, text, onText, onOpen } = usePart("web");
  return <ScenariosPage key={owner.id} owner={owner} text={text} onText={onText} onOpen={onOpen} />;
}

export function ScenarioRoute() {
  const { owner, params, onDone } = usePart("web");
  return (
    <ScenarioPage owner={owner} httptestid={params.httptestid ?? "new"} onDone={() => onDone()} />
  );
}

export function MacrosOfRoute() {
  const { owner } = usePart("macros");
  return <EffectiveMacrosPage key={owner.id} owner={owner} />;
}

export function ValueMapsRoute() {
  const { owner, text, onText, onOpen } = usePart("valuemaps");
  return <ValueMapsPage key={owner.id} owner={owner} text={text} onText={onText} onOpen={onOpen} />;
}

export function ValueMapRoute() {
  const { owner, params, onDone } = usePart("valuemaps");
  return (
    <ValueMapPage owner={owner} valuemapid={params.valuemapid ?? "new"} onDone={() => onDone()} />
  );
}
