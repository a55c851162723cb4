import { Link, Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { plural, t } from "@/lib/i18n";
import { NotFound } from "@/ui/not-found";
import { Page } from "@/ui/page";
import { ObjectGate } from "@/ui/states";
import { ChangeHistory } from "@/widgets/audit/change-history";
import { ObjectArea, useRightsOf } from "@/widgets/editable";
import { TAB_CLASS, TabStrip } from "@/widgets/tab-strip";
import { useTemplate } from "./queries";
import { TemplateForm } from "./template-form";

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

const TABS: readonly (readonly [path: string, name: string])[] = [
  ["items", t("Items")],
  ["triggers", t("Triggers")],
  ["graphs/list", t("Graphs")],
  ["discovery", t("Discovery")],
  ["web", t("Web")],
  ["dashboards", t("Dashboards")],
  ["macros", t("Macros")],
  ["valuemaps", t("Value maps")],
  ["configuration", t("Configuration")],
];

export function TemplateLayout() {
  const { templateid } = useParams({ from: "/shell/templates/$templateid" });
  const query = useTemplate(templateid);
  // asked alongside the template, not after it
  useRightsOf("template", templateid);
  return (
    <ObjectGate
      query={query}
      absent={
        <NotFound
          title={t("There is no such template.")}
          list={{ path: "/templates", name: t("All templates") }}
        />
      }
    >
      {(template) => (
        <>
          <TabStrip
            label={t("Template {name}", { name: template.name })}
            title={
              <span className="ellipsis" title={template.name}>
                {template.name}
              </span>
            }
            before={
              <Link to="/hosts" search={{ templates: templateid }} className={TAB_CLASS}>
                {plural(Number(template.hosts), "used by 1 host", "used by {n} hosts")}
              </Link>
            }
            tabs={TABS.map(([path, name]) => ({
              path: `/templates/${templateid}/${path}`,
              name,
            }))}
          />
          <ObjectArea kind="template" id={templateid}>
            <Outlet />
          </ObjectArea>
        </>
      )}
    </ObjectGate>
  );
}

export function TemplateEditRoute() {
  const { templateid } = useParams({ from: "/shell/templates/$templateid/configuration" });
  const query = useTemplate(templateid);
  const navigate = useNavigate();
  return (
    <Page
      title={t("Configuration")}
      actions={<ChangeHistory kind="template" id={templateid} />}
      scroll
    >
      <ObjectGate query={query} absent={null}>
        {(template) => (
          <TemplateForm
            key={templateid}
            template={template}
            onDone={(cloned) =>
              void navigate({
                to: "/templates/$templateid",
                params: { templateid: cloned ?? templateid },
                ignoreBlocker: true,
              })
            }
            onDeleted={() => void navigate({ to: "/templates", ignoreBlocker: true })}
          />
        )}
      </ObjectGate>
    </Page>
  );
}
