// An address that leads nowhere: still a page, with a way on.

import { Link } from "@tanstack/react-router";
import { t } from "@/lib/i18n";
import { Page } from "./page";
import { EmptyState } from "./states";

export interface NotFoundProps {
  readonly title: string;
  /** where what was looked for would be listed */
  readonly list?: { readonly path: string; readonly name: string };
}

export function NotFound({ title, list }: NotFoundProps) {
  return (
    <Page title={t("Not found")}>
      <EmptyState title={title}>
        {list === undefined ? null : (
          <>
            <Link to={list.path}>{list.name}</Link>
            {" · "}
          </>
        )}
        <Link to="/">{t("Overview")}</Link>
      </EmptyState>
    </Page>
  );
}
