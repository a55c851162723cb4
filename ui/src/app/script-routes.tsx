import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ScriptPage } from "@/features/scripts/script-page";
import { ScriptsPage } from "@/features/scripts/scripts-page";

export function ScriptsRoute() {
  const { q = "" } = useSearch({ from: "/shell/scripts" });
  const navigate = useNavigate();
  return (
    <ScriptsPage
      text={q}
      onText={(text) =>
        void navigate({ to: "/scripts", search: text === "" ? {} : { q: text }, replace: true })
      }
    />
  );
}

export function ScriptRoute() {
  const { scriptid } = useParams({ from: "/shell/scripts/$scriptid" });
  const navigate = useNavigate();
  return (
    <ScriptPage
      scriptid={scriptid}
      onDone={() => void navigate({ to: "/scripts", ignoreBlocker: true })}
    />
  );
}
