// The frame around every page: navigation, connection, theme, user; palette and key help on demand.

import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useLocation, useNavigate, useRouteContext } from "@tanstack/react-router";
import {
  lazy,
  Suspense,
  startTransition,
  useCallback,
  useEffect,
  useState,
  useSyncExternalStore,
} from "react";
import { changed } from "@/api/changes";
import { sessionLost } from "@/api/http";
import { keys } from "@/api/query-keys";
import { fetchSession } from "@/api/session";
import { stream } from "@/api/stream";
import type { SessionUser } from "@/api/types";
import { t } from "@/lib/i18n";
import { throttle } from "@/lib/throttle";
import { useKeys } from "@/ui/keys";
import { LoadingState } from "@/ui/states";
import { MENUS } from "@/ui/theme";
import { DatabaseBanner } from "./database-banner";
import { DeniedPage } from "./denied-page";
import { lostSession } from "./lost-session";
import { Navigation } from "./navigation";
import { guideOf, isDenied, SHORTCUTS } from "./pages";
import { usePreferences } from "./preferences";
import { SessionDialog } from "./session-dialog";
import classes from "./shell.module.css";

const Palette = lazy(() => import("./palette").then((it) => ({ default: it.Palette })));
const KeyHelp = lazy(() => import("./key-help").then((it) => ({ default: it.KeyHelp })));

type Opened = "palette" | "help" | undefined;

export function Shell() {
  const [opened, setOpened] = useState<Opened>(undefined);
  const navigate = useNavigate();
  const { user } = useRouteContext({ from: "/shell" });
  const pathname = useLocation({ select: (it) => it.pathname });
  const page = guideOf(pathname);
  const guide =
    page === undefined
      ? ({ to: "/docs" } as const)
      : ({ to: "/docs/$page", params: { page } } as const);
  useLiveConnection();
  usePreferences(user);
  useKeys({
    "?": () => setOpened("help"),
    "Ctrl+k": () => setOpened("palette"),
    ...Object.fromEntries(SHORTCUTS.map((it) => [it.keys, () => void navigate({ href: it.href })])),
    "g u": () => void navigate(guide),
  });
  return (
    <div className={classes["shell"]}>
      <button
        type="button"
        className={classes["skip"]}
        onClick={() => document.querySelector("main")?.focus()}
      >
        {t("Skip to content")}
      </button>
      <Navigation onSearch={() => setOpened("palette")} onHelp={() => setOpened("help")} />
      <div className={classes["content"]}>
        <DatabaseBanner />
        <Suspense fallback={<LoadingState />}>
          {isDenied(user, pathname) ? <DeniedPage /> : <Content />}
        </Suspense>
      </div>
      <LostSession />
      <section id={MENUS} aria-label={t("Menus")} className={classes["menus"]} />
      <Suspense fallback={null}>
        {opened === "palette" ? <Palette onClose={() => setOpened(undefined)} /> : null}
        {opened === "help" ? <KeyHelp onClose={() => setOpened(undefined)} /> : null}
      </Suspense>
    </div>
  );
}

/** Over the page while its session is lost. */
function LostSession() {
  const state = useSyncExternalStore(lostSession.subscribe, lostSession.getState);
  const client = useQueryClient();
  const navigate = useNavigate();
  const { user } = useRouteContext({ from: "/shell" });
  const href = useLocation({ select: (it) => it.href });
  const onBack = useCallback(
    (now: SessionUser) => {
      client.setQueryData(keys.session, now);
      stream.stop();
      stream.start();
      lostSession.end(true);
    },
    [client],
  );
  const isLost = state !== "none";
  useEffect(() => {
    if (isLost) stream.stop();
  }, [isLost]);
  if (!isLost) return null;
  return (
    <SessionDialog
      user={user}
      isHidden={state === "hidden"}
      onBack={onBack}
      onLeave={() => {
        client.setQueryData(keys.session, null);
        lostSession.end(false);
        void navigate({ to: "/login", search: { to: href }, ignoreBlocker: true });
      }}
    />
  );
}

/**
 * The first page comes after the frame and in parts: a change of the router is rendered in one piece, and frame and
 * page together would block the browser for too long.
 */
function Content() {
  const [isFramed, setFramed] = useState(false);
  useEffect(() => startTransition(() => setFramed(true)), []);
  return isFramed ? <Outlet /> : null;
}

// discovery may change hosts all the time
const HOSTS_MS = 2000;

/** The socket lives as long as the shell; changes of hosts refresh what shows them. */
function useLiveConnection(): void {
  const client = useQueryClient();
  useEffect(() => {
    stream.start();
    const [refresh, end] = throttle(HOSTS_MS, () => void changed(client, "hosts"));
    const stop = stream.onMessage((message) => {
      if (message.type === "hosts") refresh();
    });
    // the server closes the line of a session that has ended, and opens no other
    const unwatch = stream.onState(() => {
      if (stream.state === "offline") void lookForSession();
    });
    return () => {
      end();
      stop();
      unwatch();
      stream.stop();
    };
  }, [client]);
}

async function lookForSession(): Promise<void> {
  // undefined: a server that does not answer says nothing of the session
  const found = await fetchSession()
    .then((user) => user !== undefined)
    .catch(() => undefined);
  if (found === false) await sessionLost();
}
