import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { login } from "@/api/session";
import type { SessionUser } from "@/api/types";
import { currentLanguage, keepLanguage, LANGUAGES } from "@/lang/languages";
import { t } from "@/lib/i18n";
import { FormError } from "@/ui/form";
import { Logo } from "@/ui/logo";
import classes from "./login.module.css";

export interface LoginPageProps {
  readonly onLogin: (user: SessionUser) => void;
}

export function LoginPage({ onLogin }: LoginPageProps) {
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const mutation = useMutation({
    mutationFn: () => login(username, password),
    onSuccess: onLogin,
  });
  return (
    <main className={classes["page"]}>
      <form
        className={classes["form"]}
        aria-label={t("Sign in")}
        onSubmit={(event) => {
          event.preventDefault();
          mutation.mutate();
        }}
      >
        <h1 className={classes["brand"]}>
          <Logo size={30} />
          Saker
        </h1>
        <TextInput
          label={t("User name")}
          name="username"
          autoComplete="username"
          autoFocus
          required
          withAsterisk={false}
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
        />
        <PasswordInput
          label={t("Password")}
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {mutation.isError ? <FormError error={mutation.error} /> : null}
        <Button type="submit" fullWidth loading={mutation.isPending}>
          {t("Sign in")}
        </Button>
        <LanguageChoice />
      </form>
    </main>
  );
}

/** For this browser, until one is signed in and has a language of one's own. */
function LanguageChoice() {
  return (
    <nav className={classes["languages"]} aria-label={t("Language")}>
      {LANGUAGES.map((language) => (
        <button
          key={language.tag}
          type="button"
          lang={language.tag}
          aria-current={language === currentLanguage()}
          onClick={() => {
            if (keepLanguage(language)) window.location.reload();
          }}
        >
          {language.name}
        </button>
      ))}
    </nav>
  );
}
