import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { keys } from "@/api/query-keys";
import { LoginPage } from "@/features/login/login-page";
import { t } from "@/lib/i18n";

export function LoginRoute() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { to, lost } = useSearch({ from: "/login" });
  return (
    <LoginPage
      reason={lost === "1" ? t("Your session has ended. Please sign in again.") : undefined}
      onLogin={(user) => {
        client.clear();
        client.setQueryData(keys.session, user);
        // only addresses of this UI: a link must not lead elsewhere after login
        const target = to?.startsWith("/") === true && !to.startsWith("//") ? to : "/";
        void navigate({ href: target, replace: true });
      }}
    />
  );
}
