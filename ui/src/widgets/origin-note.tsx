// Where an object comes from that is not its holder's own, with the way there.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { type Discovery, fetchOrigin, type OriginObject, type Place } from "@/api/origin";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import type { Owner } from "@/lib/owner";
import { KeptNote } from "@/ui/kept-note";

export interface OriginNoteProps {
  readonly owner: Owner;
  readonly of: OriginObject;
  readonly inherited: boolean;
  readonly discovered?: boolean;
  /** its prototype is that of a rule */
  readonly isRule?: boolean;
}

export function OriginNote(props: OriginNoteProps) {
  const { owner, of, inherited, discovered = false, isRule = false } = props;
  const origin = useQuery({
    queryKey: keys.origin(of.kind, of.id),
    queryFn: ({ signal }) => fetchOrigin(of, signal),
    enabled: inherited || discovered,
  });
  const rule = origin.data?.discovered_by ?? undefined;
  return (
    <>
      {inherited ? (
        <KeptNote>
          <span>
            <Templates places={origin.data?.templates ?? []} />
            {t(". Change gray fields there, for all its hosts.")}
          </span>
        </KeptNote>
      ) : null}
      {discovered ? (
        <KeptNote>
          <span>
            <FoundBy rule={rule} owner={owner} kind={isRule ? "rule" : of.kind} />
          </span>
        </KeptNote>
      ) : null}
    </>
  );
}

/** The template that owns the object first, then those that pass it on. */
function Templates({ places }: { readonly places: readonly Place[] }) {
  const [owning, ...between] = places.toReversed();
  if (owning === undefined) return t("Inherited from a template");
  return (
    <>
      {t("Inherited from")} <PlaceLink place={owning} />
      {between.map((place) => (
        <Fragment key={place.id}>
          {" "}
          {t("through")} <PlaceLink place={place} />
        </Fragment>
      ))}
    </>
  );
}

function PlaceLink({ place }: { readonly place: Place }) {
  const { templateid, kind, id, ruleid, name } = place;
  if (templateid === "0") return t("a template to which you have no access");
  switch (kind) {
    case "item":
      return (
        <Link to="/templates/$templateid/items/$itemid" params={{ templateid, itemid: id }}>
          {name}
        </Link>
      );
    case "rule":
    case "rule_prototype":
      return (
        <Link to="/templates/$templateid/discovery/$ruleid" params={{ templateid, ruleid: id }}>
          {name}
        </Link>
      );
    case "item_prototype":
      return (
        <Link
          to="/templates/$templateid/discovery/$ruleid/prototypes/$itemid"
          params={{ templateid, ruleid, itemid: id }}
        >
          {name}
        </Link>
      );
    case "trigger":
      return (
        <Link
          to="/templates/$templateid/triggers/$triggerid"
          params={{ templateid, triggerid: id }}
        >
          {name}
        </Link>
      );
    case "trigger_prototype":
      return (
        <Link
          to="/templates/$templateid/discovery/$ruleid/trigger-prototypes/$triggerid"
          params={{ templateid, ruleid, triggerid: id }}
        >
          {name}
        </Link>
      );
  }
}

interface FoundByProps {
  readonly rule: Discovery | undefined;
  readonly owner: Owner;
  readonly kind: OriginObject["kind"] | "rule";
}

function FoundBy({ rule, owner, kind }: FoundByProps) {
  if (rule === undefined) return t("Created by low-level discovery from its prototype.");
  const hostid: Id = owner.id;
  const { ruleid, prototypeid } = rule;
  return (
    <>
      {t("Discovered by")}{" "}
      <Link to="/hosts/$hostid/discovery/$ruleid" params={{ hostid, ruleid }}>
        {rule.name}
      </Link>
      {t("; created from its")}{" "}
      {kind === "rule" ? (
        <Link to="/hosts/$hostid/discovery/$ruleid" params={{ hostid, ruleid: prototypeid }}>
          {t("prototype")}
        </Link>
      ) : kind === "item" ? (
        <Link
          to="/hosts/$hostid/discovery/$ruleid/prototypes/$itemid"
          params={{ hostid, ruleid, itemid: prototypeid }}
        >
          {t("prototype")}
        </Link>
      ) : (
        <Link
          to="/hosts/$hostid/discovery/$ruleid/trigger-prototypes/$triggerid"
          params={{ hostid, ruleid, triggerid: prototypeid }}
        >
          {t("prototype")}
        </Link>
      )}
      .
    </>
  );
}
