import { t } from "@/lib/i18n";
import { Page } from "@/ui/page";
import { EmptyState, QueryGate } from "@/ui/states";
import { useRegexp } from "./queries";
import { RegexpForm } from "./regexp-form";

export interface RegexpPageProps {
  readonly regexpid: string;
  readonly onDone: () => void;
}

export function RegexpPage({ regexpid, onDone }: RegexpPageProps) {
  const query = useRegexp(regexpid);
  if (regexpid === "new") {
    return (
      <Page title={t("New regular expression")} scroll>
        <RegexpForm regexp={undefined} onDone={onDone} />
      </Page>
    );
  }
  return (
    <Page title={query.data?.name ?? t("Regular expression")} scroll>
      <QueryGate query={query}>
        {(regexp) =>
          regexp === null ? (
            <EmptyState title={t("There is no such regular expression.")} />
          ) : (
            <RegexpForm key={regexpid} regexp={regexp} onDone={onDone} />
          )
        }
      </QueryGate>
    </Page>
  );
}
