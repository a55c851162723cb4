// Next to the list: of what its problems are, with counts; a click narrows the list down to it.

import { TextInput } from "@mantine/core";
import { t } from "@/lib/i18n";
import { formatCount } from "@/lib/units";
import type { ShownFacet, ShownFacets } from "./facets";
import type { ProblemFilter } from "./filter";
import classes from "./problems.module.css";

export interface FacetsPanelProps {
  /** undefined while they are counted */
  readonly facets: ShownFacets | undefined;
  /** what is looked for; undefined: the panel is closed */
  readonly text: string | undefined;
  readonly onText: (text: string) => void;
  readonly filter: ProblemFilter;
  readonly onChange: (change: Partial<ProblemFilter>) => void;
  /** of the problems of one host there is only one */
  readonly withHosts: boolean;
}

export function FacetsPanel(props: FacetsPanelProps) {
  const { facets, text, onText, filter, onChange, withHosts } = props;
  if (text === undefined) return null;
  return (
    <aside className={classes["facets"]} aria-label={t("Facets")} data-print="hide">
      <TextInput
        aria-label={t("Find a host, group or tag")}
        placeholder={t("Find a host, group or tag")}
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
      />
      {withHosts ? (
        <>
          <FacetList
            title={t("Host groups")}
            facets={facets?.groups}
            idOf={(it) => it}
            isOn={(groupid) => filter.groupids.includes(groupid)}
            onToggle={(groupid) => onChange({ groupids: toggled(filter.groupids, groupid) })}
          />
          <FacetList
            title={t("Hosts")}
            facets={facets?.hosts}
            idOf={(it) => it}
            isOn={(hostid) => filter.hostids.includes(hostid)}
            onToggle={(hostid) => onChange({ hostids: toggled(filter.hostids, hostid) })}
          />
        </>
      ) : null}
      <FacetList
        title={t("Tags")}
        facets={facets?.tags}
        idOf={([name, value]) => `${name}:${value}`}
        isOn={([name, value]) => filter.tags.some((it) => it[0] === name && it[1] === value)}
        onToggle={(tag) => {
          const others = filter.tags.filter((it) => it[0] !== tag[0] || it[1] !== tag[1]);
          onChange({ tags: others.length < filter.tags.length ? others : [...others, tag] });
        }}
      />
    </aside>
  );
}

function toggled(ids: readonly string[], id: string): readonly string[] {
  return ids.includes(id) ? ids.filter((it) => it !== id) : [...ids, id];
}

interface FacetListProps<Key> {
  readonly title: string;
  readonly facets: ShownFacet<Key> | undefined;
  readonly idOf: (key: Key) => string;
  readonly isOn: (key: Key) => boolean;
  readonly onToggle: (key: Key) => void;
}

function FacetList<Key>({ title, facets, idOf, isOn, onToggle }: FacetListProps<Key>) {
  if (facets === undefined || facets.first.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {facets.first.map(({ key, name, n }) => (
          <li key={idOf(key)}>
            <button type="button" aria-pressed={isOn(key)} onClick={() => onToggle(key)}>
              <span className="ellipsis">{name}</span>
              <span className="dim num">{formatCount(n)}</span>
            </button>
          </li>
        ))}
      </ul>
      {facets.more > 0 ? (
        <p className="dim">{t("and {n} more", { n: formatCount(facets.more) })}</p>
      ) : null}
    </section>
  );
}
