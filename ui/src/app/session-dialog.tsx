// Over the page whose session has ended: asks for the password, and the page goes on where it was.

import { Button, Modal, PasswordInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { fetchSession, login } from "@/api/session";
import type { SessionUser } from "@/api/types";
import { t } from "@/lib/i18n";
import { mayLeave } from "@/ui/changed-forms";
import { FormError } from "@/ui/form";
import classes from "./shell.module.css";

export interface SessionDialogProps {
  readonly user: SessionUser;
  /** the user was away: the content of the page is covered */
  readonly isHidden: boolean;
  readonly onBack: (user: SessionUser) => void;
  /** to the login page, where another user can sign in */
  readonly onLeave: () => void;
}

// Escape in this dialog is none for those below it
const OWN_KEYS = { "data-mantine-stop-propagation": "true" };

// above any other dialog of the page
const Z_INDEX = 1000;

export function SessionDialog({ user, isHidden, onBack, onLeave }: SessionDialogProps) {
  const [password, setPassword] = useState("");
  const signIn = useMutation({
    mutationFn: () => login(user.username, password),
    onSuccess: onBack,
  });
  useOtherTabs(user, onBack);
  return (
    <Modal
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t("Your session has ended")}
      size="sm"
      zIndex={Z_INDEX}
      overlayProps={isHidden ? { backgroundOpacity: 1, color: "var(--bg)" } : {}}
    >
      <form
        className={classes["again"]}
        aria-label={t("Sign in again")}
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          signIn.mutate();
        }}
      >
        <p>{t("Sign in again to continue. Everything you typed is kept.")}</p>
        {/* for password managers */}
        <input type="hidden" name="username" autoComplete="username" value={user.username} />
        <PasswordInput
          label={t("Password of {user}", { user: user.username })}
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus
          {...OWN_KEYS}
          visibilityToggleButtonProps={{ "aria-label": t("Show password"), ...OWN_KEYS }}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {signIn.isError ? <FormError error={signIn.error} /> : null}
        <div className={classes["againFoot"]}>
          <Button
            {...OWN_KEYS}
            variant="default"
            onClick={() => {
              if (mayLeave()) onLeave();
            }}
          >
            {t("Sign in as another user")}
          </Button>
          <Button {...OWN_KEYS} type="submit" loading={signIn.isPending}>
            {t("Sign in")}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

/** Tabs share the session: after a login in another tab this page goes on by itself. */
function useOtherTabs(user: SessionUser, onBack: (user: SessionUser) => void): void {
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "hidden") return;
      fetchSession()
        .then((now) => {
          if (now !== undefined && now.userid === user.userid) onBack(now);
        })
        // a server that is away answers later
        .catch(() => undefined);
    };
    window.addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      window.removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, [user, onBack]);
}
