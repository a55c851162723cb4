// Items, triggers and discovery rules below a host or a template: the same pages for both.

import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { RulePage } from "@/features/discovery/rule-page";
import { RulesPage } from "@/features/discovery/rules-page";
import { ItemPage } from "@/features/items/item-page";
import { ItemsPage } from "@/features/items/items-page";
import { PrototypePage } from "@/features/items/prototype-page";
import { TriggerPage } from "@/features/triggers/trigger-page";
import { TriggerPrototypePage } from "@/features/triggers/trigger-prototype-page";
import { TriggersPage } from "@/features/triggers/triggers-page";
import { ScenarioPage } from "@/features/web/scenario-page";
import { ScenariosPage } from "@/features/web/scenarios-page";
import { type Owner, ownerPath } from "@/widgets/owner";

type Part = "items" | "triggers" | "discovery" | "web";

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
  const { owner, params, onOpen, onDone } = usePart("discovery");
  const ruleid = params.ruleid ?? "new";
  return (
    <RulePage
      owner={owner}
      ruleid={ruleid}
      onDone={onDone}
      onPrototype={(itemid) => onOpen(`${ruleid}/prototypes/${itemid}`)}
      onTriggerPrototype={(triggerid) => onOpen(`${ruleid}/trigger-prototypes/${triggerid}`)}
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
