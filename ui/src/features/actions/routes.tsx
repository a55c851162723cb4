import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ActionPage } from "./action-page";
import { ActionsPage } from "./actions-page";
import { TRIGGERS } from "./conditions";

export function ActionsRoute() {
  const { q = "", source = TRIGGERS } = useSearch({ from: "/shell/actions" });
  const navigate = useNavigate();
  const show = (text: string, of: string) =>
    void navigate({
      to: "/actions",
      search: { ...(text === "" ? {} : { q: text }), ...(of === TRIGGERS ? {} : { source: of }) },
      replace: true,
    });
  return (
    <ActionsPage
      text={q}
      onText={(text) => show(text, source)}
      source={source}
      onSource={(of) => show(q, of)}
    />
  );
}

export function ActionRoute() {
  const { actionid } = useParams({ from: "/shell/actions/$actionid" });
  const { source = TRIGGERS } = useSearch({ from: "/shell/actions/$actionid" });
  const navigate = useNavigate();
  return (
    <ActionPage
      actionid={actionid}
      source={source}
      onDone={() =>
        void navigate({
          to: "/actions",
          search: source === TRIGGERS ? {} : { source },
          ignoreBlocker: true,
        })
      }
    />
  );
}
