// What a trigger depends on: while one of these is in problem, it makes no problem of its own.

import type { TriggerPlace } from "@/api/triggers";
import type { Dependency, Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { Section } from "@/ui/form";
import type { Owner } from "@/widgets/owner";
import { PartLink } from "@/widgets/part-link";
import { useTriggerPlaces } from "./queries";
import classes from "./triggers.module.css";

export interface DependenciesProps {
  readonly owner: Owner;
  readonly dependencies: readonly Dependency[];
}

/** Nothing for a trigger that depends on none. */
export function Dependencies({ owner, dependencies }: DependenciesProps) {
  const places = useTriggerPlaces(dependencies.map((it) => it.triggerid));
  if (dependencies.length === 0) return null;
  const placeOf = (id: Id) => places.data?.find((it) => it.triggerid === id);
  return (
    <Section
      title={t("Dependencies")}
      hint={t("While one of these is in problem, this one makes none.")}
    >
      <ul className={classes["dependencies"]} aria-label={t("Dependencies")}>
        {dependencies.map((it) => (
          <li key={it.triggerid}>
            <Master owner={owner} dependency={it} place={placeOf(it.triggerid)} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface MasterProps {
  readonly owner: Owner;
  readonly dependency: Dependency;
  readonly place: TriggerPlace | undefined;
}

function Master({ owner, dependency, place }: MasterProps) {
  const { triggerid, description } = dependency;
  const host = place?.hosts[0];
  // prototypes have no page that their id alone leads to
  if (host === undefined) return <span>{description}</span>;
  const of: Owner = { kind: host.status === "3" ? "template" : "host", id: host.hostid };
  return (
    <>
      {host.hostid === owner.id ? null : <span className="dim">{host.name}: </span>}
      <PartLink owner={of} part={`triggers/${triggerid}`} name={description} />
    </>
  );
}
