// How a user wants the pages: theme, language, time zone of what is shown, and when to be signed out.

import { type MantineColorScheme, useMantineColorScheme } from "@mantine/core";
import { useRouteContext } from "@tanstack/react-router";
import { useEffect, useLayoutEffect } from "react";
import type { SessionUser } from "@/api/types";
import { USERS } from "@/api/users";
import { currentLanguage, languageOf } from "@/lang/languages";
import { readStored, writeStored } from "@/lib/local-storage";
import { setShownZone } from "@/lib/time";
import { lockPage } from "./sign-out";
import { schemeOf, themeOf } from "./themes";

/** What is looked at now, and a way to change it, which the server remembers. */
export function useTheme(): [MantineColorScheme, (scheme: MantineColorScheme) => void] {
  // switching transitions off for the moment would inject a style element
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const { user } = useRouteContext({ from: "/shell" });
  const change = (scheme: MantineColorScheme) => {
    setColorScheme(scheme);
    // where it cannot be kept the browser remembers it
    USERS.update(user.userid, { theme: themeOf(scheme) }).catch(() => undefined);
  };
  return [colorScheme, change];
}

export function usePreferences({ theme, lang, timezone, autologout }: SessionUser): void {
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const scheme = schemeOf(theme);
  useEffect(() => {
    if (scheme !== undefined) setColorScheme(scheme);
  }, [scheme, setColorScheme]);
  const language = languageOf(lang);
  useEffect(() => {
    // texts are constants of modules, too: all of them are read again
    if (language !== currentLanguage()) window.location.reload();
  }, [language]);
  useLayoutEffect(() => setShownZone(timezone), [timezone]);
  useAutoLogout(autologout);
}

const ACTIVE_KEY = "saker.active";
const LOOK_MS = 5000;
const SIGNS = ["pointerdown", "pointermove", "keydown", "wheel"] as const;

const readTime = (value: unknown) => (typeof value === "number" ? value : 0);

/** Locks the page of a user who touched no tab for so many seconds. */
function useAutoLogout(seconds: number): void {
  useEffect(() => {
    if (seconds === 0) return;
    let noted = Date.now();
    writeStored(ACTIVE_KEY, noted);
    const note = () => {
      const now = Date.now();
      if (now - noted < LOOK_MS) return;
      noted = now;
      writeStored(ACTIVE_KEY, now);
    };
    const look = setInterval(() => {
      // another tab may have been touched
      const last = Math.max(noted, readStored(ACTIVE_KEY, readTime));
      if (Date.now() - last >= seconds * 1000) void lockPage();
    }, LOOK_MS);
    for (const sign of SIGNS) window.addEventListener(sign, note, { passive: true });
    return () => {
      clearInterval(look);
      for (const sign of SIGNS) window.removeEventListener(sign, note);
    };
  }, [seconds]);
}
