import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { keys } from "@/api/query-keys";
import { LoginPage } from "@/features/login/login-page";
import { currentLanguage, languageOf } from "@/lang/languages";

function isOwn(address: string | undefined): address is string {
  return address?.startsWith("/") === true && !address.startsWith("//");
}

export function LoginRoute() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { to } = useSearch({ from: "/login" });
  return (
    <LoginPage
      onLogin={(user) => {
        // only addresses of this UI: a link must not lead elsewhere after login
        const target = isOwn(to) ? to : isOwn(user.url) ? user.url : "/";
        if (languageOf(user.lang) !== currentLanguage()) {
          window.location.assign(target);
          return;
        }
        client.clear();
        client.setQueryData(keys.session, user);
        void navigate({ href: target, replace: true });
      }}
    />
  );
}
