// The frame around every page: navigation, connection, theme, user; palette and key help on demand.

import { ActionIcon, Menu, Tooltip, useMantineColorScheme } from "@mantine/core";
import {
  IconActivity,
  IconAlertTriangle,
  IconBolt,
  IconCalendarUser,
  IconDatabase,
  IconDeviceDesktop,
  IconHistory,
  IconHourglass,
  IconKey,
  IconLink,
  IconLogout,
  IconMail,
  IconMenu2,
  IconMoon,
  IconPlugConnected,
  IconRadar,
  IconRegex,
  IconRouter,
  IconSearch,
  IconSend,
  IconServer,
  IconSettings,
  IconSitemap,
  IconSun,
  IconSunMoon,
  IconTargetArrow,
  IconTemplate,
  IconTerminal2,
  IconTool,
  IconTrash,
  IconUser,
  IconUserShield,
  IconUsers,
  IconUsersGroup,
  IconWorldWww,
  type TablerIcon,
} from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useRouteContext } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from "react";
import { changed } from "@/api/changes";
import { logout } from "@/api/native";
import { useProblemCounts } from "@/api/problem-counts";
import { keys } from "@/api/query-keys";
import { stream } from "@/api/stream";
import { plural, t } from "@/lib/i18n";
import { spaced } from "@/lib/spaced";
import { mayLeave } from "@/ui/changed-forms";
import { useKeys } from "@/ui/keys";
import { Logo } from "@/ui/logo";
import { LoadingState } from "@/ui/states";
import { StatusDot } from "@/ui/status-dot";
import classes from "./shell.module.css";

const Palette = lazy(() => import("./palette").then((it) => ({ default: it.Palette })));
const KeyHelp = lazy(() => import("./key-help").then((it) => ({ default: it.KeyHelp })));

type Opened = "palette" | "help" | undefined;

export function Shell() {
  const [opened, setOpened] = useState<Opened>(undefined);
  const navigate = useNavigate();
  useLiveConnection();
  useKeys({
    "?": () => setOpened("help"),
    "Ctrl+k": () => setOpened("palette"),
    "g o": () => void navigate({ to: "/" }),
    "g p": () => void navigate({ to: "/problems" }),
    "g l": () => void navigate({ to: "/latest" }),
    "g h": () => void navigate({ to: "/hosts" }),
    "g t": () => void navigate({ to: "/templates" }),
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
        <Suspense fallback={<LoadingState />}>
          <Outlet />
        </Suspense>
      </div>
      <Suspense fallback={null}>
        {opened === "palette" ? <Palette onClose={() => setOpened(undefined)} /> : null}
        {opened === "help" ? <KeyHelp onClose={() => setOpened(undefined)} /> : null}
      </Suspense>
    </div>
  );
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

interface NavigationProps {
  readonly onSearch: () => void;
  readonly onHelp: () => void;
}

function Navigation({ onSearch, onHelp }: NavigationProps) {
  // on narrow screens the links unfold below the bar
  const [unfolded, setUnfolded] = useState(false);
  const fold = () => setUnfolded(false);
  return (
    <nav
      className={classes["nav"]}
      aria-label={t("Main")}
      data-print="hide"
      data-unfolded={unfolded || undefined}
    >
      <div className={classes["bar"]}>
        <Link to="/" className={classes["brand"]} onClick={fold}>
          <Logo />
          Saker
        </Link>
        <button type="button" className={classes["search"]} onClick={onSearch}>
          <IconSearch size={14} aria-hidden />
          {t("Search")}
          <kbd>Ctrl K</kbd>
        </button>
        <button
          type="button"
          className={classes["unfold"]}
          aria-label={t("Menu")}
          aria-expanded={unfolded}
          aria-controls={LINKS_ID}
          onClick={() => setUnfolded(!unfolded)}
        >
          <IconMenu2 size={18} aria-hidden />
        </button>
      </div>
      <div className={classes["links"]} id={LINKS_ID}>
        <NavItem to="/" icon={IconActivity} name={t("Overview")} onOpen={fold} />
        <NavItem to="/problems" icon={IconAlertTriangle} name={t("Problems")} badge onOpen={fold} />
        <NavItem to="/latest" icon={IconDeviceDesktop} name={t("Latest data")} onOpen={fold} />
        <NavItem to="/web" icon={IconWorldWww} name={t("Web monitoring")} onOpen={fold} />
        <NavItem to="/hosts" icon={IconServer} name={t("Hosts")} onOpen={fold} />
        <NavItem to="/templates" icon={IconTemplate} name={t("Templates")} onOpen={fold} />
        <NavItem to="/services" icon={IconSitemap} name={t("Services")} onOpen={fold} />
        <NavItem to="/sla" icon={IconTargetArrow} name={t("SLA")} onOpen={fold} />
        <Maintenance onOpen={fold} />
        <NetworkDiscovery onOpen={fold} />
        <NavItem to="/oncall" icon={IconCalendarUser} name={t("On call")} onOpen={fold} />
        <Administration onOpen={fold} />
        <span className={classes["spacer"]} />
        <Connection />
        <div className={classes["tools"]}>
          <ThemeMenu />
          <Tooltip label={t("Keyboard shortcuts")}>
            <ActionIcon aria-label={t("Keyboard shortcuts")} onClick={onHelp} c="inherit">
              ?
            </ActionIcon>
          </Tooltip>
          <UserMenu />
        </div>
      </div>
    </nav>
  );
}

const LINKS_ID = "main-links";

interface NavItemProps {
  readonly to:
    | "/"
    | "/problems"
    | "/latest"
    | "/web"
    | "/hosts"
    | "/templates"
    | "/services"
    | "/sla"
    | "/maintenance"
    | "/discovered"
    | "/network-discovery"
    | "/oncall"
    | "/regexps"
    | "/actions"
    | "/correlation"
    | "/scripts"
    | "/mediatypes"
    | "/alerts"
    | "/connectors"
    | "/queue"
    | "/storage"
    | "/housekeeping"
    | "/settings"
    | "/users"
    | "/usergroups"
    | "/roles"
    | "/tokens"
    | "/audit";
  readonly icon: TablerIcon;
  readonly name: string;
  readonly badge?: boolean;
  readonly onOpen: () => void;
}

function NavItem({ to, icon: Icon, name, badge = false, onOpen }: NavItemProps) {
  return (
    <Link
      to={to}
      onClick={onOpen}
      className={classes["item"]}
      activeOptions={{ exact: to === "/", includeSearch: false }}
      activeProps={{ "data-active": true }}
    >
      <Icon size={16} stroke={1.6} aria-hidden />
      {name}
      {badge ? <OpenProblems /> : null}
    </Link>
  );
}

const ADMIN = 2;
const SUPER_ADMIN = 3;

/** For those who may create one. Whoever may not sees at hosts and problems which are in effect. */
function Maintenance({ onOpen }: { readonly onOpen: () => void }) {
  const { user } = useRouteContext({ from: "/shell" });
  if (user.type < ADMIN) return null;
  return <NavItem to="/maintenance" icon={IconTool} name={t("Maintenance")} onOpen={onOpen} />;
}

/** For admins, as in Zabbix. */
function NetworkDiscovery({ onOpen }: { readonly onOpen: () => void }) {
  const { user } = useRouteContext({ from: "/shell" });
  if (user.type < ADMIN) return null;
  return (
    <>
      <NavItem to="/discovered" icon={IconRouter} name={t("Discovered devices")} onOpen={onOpen} />
      <NavItem
        to="/network-discovery"
        icon={IconRadar}
        name={t("Network discovery")}
        onOpen={onOpen}
      />
    </>
  );
}

/** What only super admins may see. */
function Administration({ onOpen }: { readonly onOpen: () => void }) {
  const { user } = useRouteContext({ from: "/shell" });
  if (user.type !== SUPER_ADMIN) return null;
  return (
    <>
      <NavItem to="/regexps" icon={IconRegex} name={t("Regular expressions")} onOpen={onOpen} />
      <NavItem to="/actions" icon={IconBolt} name={t("Actions")} onOpen={onOpen} />
      <NavItem to="/correlation" icon={IconLink} name={t("Event correlation")} onOpen={onOpen} />
      <NavItem to="/scripts" icon={IconTerminal2} name={t("Scripts")} onOpen={onOpen} />
      <NavItem to="/mediatypes" icon={IconMail} name={t("Media types")} onOpen={onOpen} />
      <NavItem to="/alerts" icon={IconSend} name={t("Messages sent")} onOpen={onOpen} />
      <NavItem to="/connectors" icon={IconPlugConnected} name={t("Connectors")} onOpen={onOpen} />
      <NavItem to="/queue" icon={IconHourglass} name={t("Queue")} onOpen={onOpen} />
      <NavItem to="/storage" icon={IconDatabase} name={t("Storage")} onOpen={onOpen} />
      <NavItem to="/housekeeping" icon={IconTrash} name={t("Housekeeping")} onOpen={onOpen} />
      <NavItem to="/settings" icon={IconSettings} name={t("General settings")} onOpen={onOpen} />
      <NavItem to="/users" icon={IconUsers} name={t("Users")} onOpen={onOpen} />
      <NavItem to="/usergroups" icon={IconUsersGroup} name={t("User groups")} onOpen={onOpen} />
      <NavItem to="/roles" icon={IconUserShield} name={t("User roles")} onOpen={onOpen} />
      <NavItem to="/tokens" icon={IconKey} name={t("API tokens")} onOpen={onOpen} />
      <NavItem to="/audit" icon={IconHistory} name={t("Audit log")} onOpen={onOpen} />
    </>
  );
}

/** Open problems that nobody suppressed. */
function OpenProblems() {
  const counts = useProblemCounts() ?? [];
  const open = counts.reduce((sum, it) => sum + it.total, 0);
  const worst = Math.max(0, ...counts.filter((it) => it.total > 0).map((it) => it.severity));
  if (open === 0) return null;
  return (
    <>
      {" "}
      <span
        className={classes["badge"]}
        data-severity={worst}
        title={plural(open, "1 open problem", "{n} open problems")}
      >
        {open > 9999 ? `${Math.floor(open / 1000)}k` : open}
      </span>
    </>
  );
}

function Connection() {
  const state = useSyncExternalStore(
    (listener) => stream.onState(listener),
    () => stream.state,
  );
  const text = {
    live: t("Live"),
    connecting: t("Connecting …"),
    offline: t("Connection lost, retrying"),
  }[state];
  return (
    <div className={classes["connection"]} role="status">
      <StatusDot tone={state === "live" ? "ok" : "warn"} label={text} />
      {text}
    </div>
  );
}

function ThemeMenu() {
  // switching transitions off for the moment would inject a style element
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const Icon = { light: IconSun, dark: IconMoon, auto: IconSunMoon }[colorScheme];
  return (
    <Menu position="top-start" width={140}>
      <Menu.Target>
        <ActionIcon aria-label={t("Theme")} c="inherit">
          <Icon size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconSun size={14} />} onClick={() => setColorScheme("light")}>
          {t("Light")}
        </Menu.Item>
        <Menu.Item leftSection={<IconMoon size={14} />} onClick={() => setColorScheme("dark")}>
          {t("Dark")}
        </Menu.Item>
        <Menu.Item leftSection={<IconSunMoon size={14} />} onClick={() => setColorScheme("auto")}>
          {t("As the system")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function UserMenu() {
  const { user } = useRouteContext({ from: "/shell" });
  const client = useQueryClient();
  const navigate = useNavigate();
  const signOut = async () => {
    if (!mayLeave()) return;
    // the cookie may be gone already; one leaves in any case
    await logout().catch(() => undefined);
    stream.stop();
    client.clear();
    client.setQueryData(keys.session, null);
    await navigate({ to: "/login", ignoreBlocker: true });
  };
  return (
    <Menu position="top-end" width={180}>
      <Menu.Target>
        <ActionIcon aria-label={t("User menu")} c="inherit">
          <IconUser size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user.username}</Menu.Label>
        <Menu.Item
          leftSection={<IconUser size={14} />}
          onClick={() => void navigate({ to: "/profile" })}
        >
          {t("My profile")}
        </Menu.Item>
        {user.type === SUPER_ADMIN ? null : (
          <Menu.Item
            leftSection={<IconKey size={14} />}
            onClick={() => void navigate({ to: "/tokens" })}
          >
            {t("My API tokens")}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconMail size={14} />}
          onClick={() => void navigate({ to: "/media" })}
        >
          {t("My media")}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={14} />} onClick={() => void signOut()}>
          {t("Sign out")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
