import { Link, Outlet, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useTemplate } from "@/features/templates/queries";
import { TemplateForm } from "@/features/templates/template-form";
import { TemplatesPage } from "@/features/templates/templates-page";
import { t } from "@/lib/i18n";
import { NotFound } from "@/ui/not-found";
import { Page } from "@/ui/page";
import { QueryGate } from "@/ui/states";
import classes from "./shell.module.css";

export function TemplatesRoute() {
  const { q = "" } = useSearch({ from: "/shell/templates" });
  const navigate = useNavigate();
  return (
    <TemplatesPage
      text={q}
      onText={(text) =>
        void navigate({ to: "/templates", search: text === "" ? {} : { q: text }, replace: true })
      }
    />
  );
}

export function TemplateNewRoute() {
  const navigate = useNavigate();
  const back = () => void navigate({ to: "/templates", ignoreBlocker: true });
  return (
    <Page title={t("New template")} scroll>
      <TemplateForm
        template={undefined}
        onDone={(templateid) =>
          templateid === undefined
            ? back()
            : void navigate({
                to: "/templates/$templateid",
                params: { templateid },
                ignoreBlocker: true,
              })
        }
        onDeleted={back}
      />
    </Page>
  );
}

const TABS = [
  { to: "/templates/$templateid/items", name: "Items" },
  { to: "/templates/$templateid/triggers", name: "Triggers" },
  { to: "/templates/$templateid/discovery", name: "Discovery" },
  { to: "/templates/$templateid/web", name: "Web" },
  { to: "/templates/$templateid/configuration", name: "Configuration" },
] as const;

export function TemplateLayout() {
  const { templateid } = useParams({ from: "/shell/templates/$templateid" });
  const query = useTemplate(templateid);
  return (
    <QueryGate query={query}>
      {(template) =>
        template === null ? (
          <NotFound
            title={t("There is no such template.")}
            list={{ path: "/templates", name: t("All templates") }}
          />
        ) : (
          <>
            <nav
              className={classes["tabs"]}
              aria-label={t("Template {name}", { name: template.name })}
            >
              <span className={classes["tabsTitle"]}>{template.name}</span>
              {TABS.map(({ to, name }) => (
                <Link
                  key={to}
                  to={to}
                  params={{ templateid }}
                  className={classes["tab"]}
                  activeOptions={{ includeSearch: false }}
                  activeProps={{ "data-active": true }}
                >
                  {t(name)}
                </Link>
              ))}
            </nav>
            <Outlet />
          </>
        )
      }
    </QueryGate>
  );
}

export function TemplateEditRoute() {
  const { templateid } = useParams({ from: "/shell/templates/$templateid/configuration" });
  const query = useTemplate(templateid);
  const navigate = useNavigate();
  return (
    <Page title={t("Configuration")} scroll>
      <QueryGate query={query}>
        {(template) =>
          template === null ? null : (
            <TemplateForm
              key={templateid}
              template={template}
              onDone={() =>
                void navigate({
                  to: "/templates/$templateid",
                  params: { templateid },
                  ignoreBlocker: true,
                })
              }
              onDeleted={() => void navigate({ to: "/templates", ignoreBlocker: true })}
            />
          )
        }
      </QueryGate>
    </Page>
  );
}
