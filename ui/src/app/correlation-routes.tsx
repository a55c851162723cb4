import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { CorrelationPage } from "@/features/correlation/correlation-page";
import { CorrelationsPage } from "@/features/correlation/correlations-page";

export function CorrelationsRoute() {
  const { q = "" } = useSearch({ from: "/shell/correlation" });
  const navigate = useNavigate();
  return (
    <CorrelationsPage
      text={q}
      onText={(text) =>
        void navigate({ to: "/correlation", search: text === "" ? {} : { q: text }, replace: true })
      }
    />
  );
}

export function CorrelationRoute() {
  const { correlationid } = useParams({ from: "/shell/correlation/$correlationid" });
  const navigate = useNavigate();
  return (
    <CorrelationPage
      correlationid={correlationid}
      onDone={() => void navigate({ to: "/correlation", ignoreBlocker: true })}
    />
  );
}
