// Rules of global correlation: of which events they are, what they close, and whether they are enabled.

import type { Correlation } from "@/api/correlations";
import { plural, t } from "@/lib/i18n";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import type { ListProps } from "@/ui/feature";
import { enabledColumn, nameColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { ObjectPage } from "@/widgets/objects/object-page";
import { CorrelationForm } from "./correlation-form";
import { conditionText, fieldsOf, type GroupName, operationsText } from "./draft";
import { CORRELATIONS, useCorrelation, useCorrelations, useGroupName } from "./queries";

const PATH = "/correlation/$correlationid";

export function CorrelationsPage(search: ListProps) {
  const open = useOpen(PATH);
  return (
    <ObjectList
      title={t("Event correlation")}
      note={(rows) => plural(rows.length, "1 rule", "{n} rules")}
      calls={CORRELATIONS}
      query={useCorrelations()}
      select={select}
      columns={columnsOf(useGroupName())}
      rowKey={idOf}
      isDimmed={({ status }) => status === "1"}
      onOpen={(it) => open(idOf(it))}
      onNew={() => open("new")}
      search={{ ...search, placeholder: t("Search names") }}
      none={t("There is no correlation rule yet.")}
      first={t(
        "A rule closes problems by the tags of other problems, also those of other triggers.",
      )}
    />
  );
}

const idOf = ({ correlationid }: Correlation) => correlationid;

function select(all: readonly Correlation[], finds: Matcher): readonly Correlation[] {
  return all.filter(({ name }) => finds(() => [name]));
}

function columnsOf(groupName: GroupName): readonly DataColumn<Correlation>[] {
  return [
    nameColumn(PATH, idOf, ({ name }) => name),
    {
      id: "conditions",
      title: t("Conditions"),
      width: "minmax(200px, 2fr)",
      wideOnly: true,
      cell: (rule) => {
        const conditions = fieldsOf(rule)
          .conditions.map((it) => conditionText(it, groupName))
          .join("; ");
        return (
          <span className="ellipsis" title={conditions}>
            {conditions}
          </span>
        );
      },
    },
    {
      id: "operations",
      title: t("Operations"),
      width: "minmax(140px, 1fr)",
      cell: (rule) => <span className="ellipsis">{operationsText(rule)}</span>,
    },
    enabledColumn(CORRELATIONS, idOf, (it) => it),
  ];
}

export interface CorrelationPageProps {
  readonly correlationid: string;
  readonly onDone: () => void;
}

export function CorrelationPage({ correlationid, onDone }: CorrelationPageProps) {
  return (
    <ObjectPage id={correlationid} words={CORRELATIONS.words} query={useCorrelation(correlationid)}>
      {(correlation) => (
        <CorrelationForm key={correlationid} correlation={correlation} onDone={onDone} />
      )}
    </ObjectPage>
  );
}
