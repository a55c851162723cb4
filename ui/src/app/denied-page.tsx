// A page that there is, for others.

import { Link } from "@tanstack/react-router";
import { t } from "@/lib/i18n";
import { Page } from "@/ui/page";
import { EmptyState } from "@/ui/states";

export function DeniedPage() {
  return (
    <Page title={t("Not for you")}>
      <EmptyState title={t("Your role does not have this page.")}>
        {t("Super admins change what a role has.")}{" "}
        <Link to="/profile" className="underlined">
          {t("My profile")}
        </Link>
      </EmptyState>
    </Page>
  );
}
