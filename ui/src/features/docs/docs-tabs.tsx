// The two parts of the documentation.

import { Link } from "@tanstack/react-router";
import { t } from "@/lib/i18n";
import classes from "./docs.module.css";

export function DocsTabs() {
  return (
    <nav className={classes["tabs"]} aria-label={t("Documentation")}>
      <Link to="/docs" activeOptions={{ exact: true }}>
        {t("User guide")}
      </Link>
      <Link to="/docs/api">{t("API reference")}</Link>
    </nav>
  );
}
