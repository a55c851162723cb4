// A page that there is, for others.

import { Link } from "@tanstack/react-router";
import { t } from "@/lib/i18n";
import { Page } from "@/ui/page";
import { EmptyState } from "@/ui/states";

export function DeniedPage() {
  return (
    <Page title={t("Access denied")}>
      <EmptyState title={t("Your role has no access to this page.")}>
        {t("Super admins can change the permissions of a role.")}{" "}
        <Link to="/profile" className="underlined">
          {t("My profile")}
        </Link>
      </EmptyState>
    </Page>
  );
}
