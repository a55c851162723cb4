// The frame around every page: navigation, connection, theme, user; palette and key help on demand.

import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useLocation, useNavigate, useRouteContext } from "@tanstack/react-router";
import { lazy, Suspense, startTransition, useEffect, useState } from "react";
import { changed } from "@/api/changes";
import { stream } from "@/api/stream";
import { t } from "@/lib/i18n";
import { spaced } from "@/lib/spaced";
import { useKeys } from "@/ui/keys";
import { LoadingState } from "@/ui/states";
import { MENUS } from "@/ui/theme";
import { DatabaseBanner } from "./database-banner";
import { DeniedPage } from "./denied-page";
import { guideOf } from "./guide-of";
import { Navigation } from "./navigation";
import { isDenied } from "./pages";
import { usePreferences } from "./preferences";
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
    "g o": () => void navigate({ to: "/" }),
    "g d": () => void navigate({ to: "/dashboards" }),
    "g p": () => void navigate({ to: "/problems" }),
    "g l": () => void navigate({ to: "/latest" }),
    "g h": () => void navigate({ to: "/hosts" }),
    "g t": () => void navigate({ to: "/templates" }),
    "g u": () => void navigate(guide),
  });
  return (
    <div className={classes["shell"]}>
      <button
        type="button"
        className={classes["skip"]}
        onClick={() => document.querySelector("main")?.focus()}
      >
        {t("Skip to the content")}
      </button>
      <Navigation onSearch={() => setOpened("palette")} onHelp={() => setOpened("help")} />
      <div className={classes["content"]}>
        <DatabaseBanner />
        <Suspense fallback={<LoadingState />}>
          {isDenied(user, pathname) ? <DeniedPage /> : <Content />}
        </Suspense>
      </div>
      <section id={MENUS} aria-label={t("Menus")} className={classes["menus"]} />
      <Suspense fallback={null}>
        {opened === "palette" ? <Palette onClose={() => setOpened(undefined)} /> : null}
        {opened === "help" ? <KeyHelp onClose={() => setOpened(undefined)} /> : null}
      </Suspense>
    </div>
  );
}

/**
 * The first page comes behind the frame and in parts: what the router tells is drawn in one piece, and frame and page
 * together are more than a page may be busy without a break.
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
    const [refresh, end] = spaced(HOSTS_MS, () => void changed(client, "hosts"));
    const stop = stream.onMessage((message) => {
      if (message.type === "hosts") refresh();
    });
    return () => {
      end();
      stop();
      stream.stop();
    };
  }, [client]);
}
