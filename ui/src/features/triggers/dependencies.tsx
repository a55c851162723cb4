// What a trigger depends on: while one of these is in problem, it makes no problem of its own.

import { ActionIcon, Select } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { searchTriggerNames } from "@/api/actions";
import { keys } from "@/api/query-keys";
import type { TriggerPlace } from "@/api/triggers";
import type { Dependency, Id } from "@/api/types";
import { t } from "@/lib/i18n";
import type { Owner } from "@/lib/owner";
import { Section } from "@/ui/form";
import { PartLink } from "@/widgets/part-link";
import { useTriggerPlaces } from "./queries";
import classes from "./triggers.module.css";

export interface DependenciesProps {
  readonly owner: Owner;
  readonly dependencies: readonly Dependency[];
  /** the trigger itself, which does not depend on itself */
  readonly self: Id | undefined;
  readonly disabled: boolean;
  readonly onChange: (dependencies: readonly Dependency[]) => void;
}

const OFFERED = 50;

export function Dependencies(props: DependenciesProps) {
  const { owner, dependencies, self, disabled, onChange } = props;
  const places = useTriggerPlaces(dependencies.map((it) => it.triggerid));
  const placeOf = (id: Id) => places.data?.find((it) => it.triggerid === id);
  const known = new Set(dependencies.map((it) => it.triggerid));
  if (self !== undefined) known.add(self);
  return (
    <Section
      title={t("Dependencies")}
      hint={t("While any of these triggers is in problem state, this trigger creates no problems.")}
    >
      {dependencies.length === 0 ? null : (
        <ul className={classes["dependencies"]} aria-label={t("Dependencies")}>
          {dependencies.map((it) => (
            <li key={it.triggerid}>
              <Master owner={owner} dependency={it} place={placeOf(it.triggerid)} />
              {disabled ? null : (
                <ActionIcon
                  size={18}
                  aria-label={t("Remove dependency on {name}", { name: it.description })}
                  onClick={() =>
                    onChange(dependencies.filter(({ triggerid }) => triggerid !== it.triggerid))
                  }
                >
                  <IconX size={13} />
                </ActionIcon>
              )}
            </li>
          ))}
        </ul>
      )}
      {disabled ? null : (
        <TriggerPicker known={known} onPick={(it) => onChange([...dependencies, it])} />
      )}
    </Section>
  );
}

interface TriggerPickerProps {
  /** not offered */
  readonly known: ReadonlySet<Id>;
  readonly onPick: (dependency: Dependency) => void;
}

function TriggerPicker({ known, onPick }: TriggerPickerProps) {
  const [search, setSearch] = useState("");
  const text = search.trim();
  const { data = [], isPending } = useQuery({
    queryKey: keys.triggerNames(text),
    queryFn: ({ signal }) => searchTriggerNames(text, OFFERED, signal),
    placeholderData: keepPreviousData,
  });
  const offered = data.filter(({ id }) => !known.has(id));
  return (
    <Select
      aria-label={t("Add dependency")}
      placeholder={t("Add: type part of a trigger name")}
      data={offered.map(({ id, name }) => ({ value: id, label: name }))}
      // the server has searched
      filter={({ options }) => options}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      value={null}
      nothingFoundMessage={isPending ? t("Loading") : t("No such trigger")}
      onChange={(id) => {
        const found = offered.find((it) => it.id === id);
        if (found === undefined) return;
        onPick({ triggerid: found.id, description: found.name });
        setSearch("");
      }}
    />
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
