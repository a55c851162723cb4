import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { RegexpPage } from "@/features/regexps/regexp-page";
import { RegexpsPage } from "@/features/regexps/regexps-page";

export function RegexpsRoute() {
  const { q = "" } = useSearch({ from: "/shell/regexps" });
  const navigate = useNavigate();
  return (
    <RegexpsPage
      text={q}
      onText={(text) =>
        void navigate({ to: "/regexps", search: text === "" ? {} : { q: text }, replace: true })
      }
    />
  );
}

export function RegexpRoute() {
  const { regexpid } = useParams({ from: "/shell/regexps/$regexpid" });
  const navigate = useNavigate();
  return (
    <RegexpPage
      regexpid={regexpid}
      onDone={() => void navigate({ to: "/regexps", ignoreBlocker: true })}
    />
  );
}
