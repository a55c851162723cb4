// The navigation: sections of pages, folded as the user left them; the one with the open page never is.

import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import {
  IconBook2,
  IconChevronDown,
  IconInfoCircle,
  IconKey,
  IconLogout,
  IconMail,
  IconMenu2,
  IconMoon,
  IconSearch,
  IconSun,
  IconSunMoon,
  IconUser,
} from "@tabler/icons-react";
import { Link, useLocation, useNavigate, useRouteContext } from "@tanstack/react-router";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useProblemCounts } from "@/api/problem-counts";
import { stream } from "@/api/stream";
import { plural, t } from "@/lib/i18n";
import { readStored, writeStored } from "@/lib/local-storage";
import { SUPER_ADMIN } from "@/lib/user-type";
import { mayLeave } from "@/ui/changed-forms";
import { Logo } from "@/ui/logo";
import { StatusDot } from "@/ui/status-dot";
import { guideOf, isBelow, type PageRow, type PageSection, sectionsFor } from "./pages";
import { useTheme } from "./preferences";
import classes from "./shell.module.css";
import { useSignOut } from "./sign-out";

const LINKS_ID = "main-links";
const FOLDED_KEY = "saker.navigation.folded";

function readFolded(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((it) => typeof it === "string") : [];
}

export interface NavigationProps {
  readonly onSearch: () => void;
  readonly onHelp: () => void;
}

export function Navigation({ onSearch, onHelp }: NavigationProps) {
  // on narrow screens the links unfold below the bar
  const [unfolded, setUnfolded] = useState(false);
  const [folded, setFolded] = useState(() => readStored(FOLDED_KEY, readFolded));
  const { user } = useRouteContext({ from: "/shell" });
  const sections = useRef<HTMLDivElement>(null);
  const pathname = useLocation({ select: (it) => it.pathname });
  // a user who opens an address sees where the page is in the menu
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is what changes it
  useEffect(() => {
    sections.current?.querySelector("[data-active]")?.scrollIntoView({ block: "nearest" });
  }, [pathname]);
  const fold = () => setUnfolded(false);
  const toggle = (id: string) => {
    const next = folded.includes(id) ? folded.filter((it) => it !== id) : [...folded, id];
    setFolded(next);
    writeStored(FOLDED_KEY, next);
  };
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
        <div className={classes["sections"]} ref={sections}>
          {sectionsFor(user).map((section) => (
            <Section
              key={section.id}
              section={section}
              isFolded={folded.includes(section.id)}
              onToggle={() => toggle(section.id)}
              onOpen={fold}
            />
          ))}
        </div>
        <Connection />
        <div className={classes["tools"]}>
          <ThemeMenu />
          <GuideLink onOpen={fold} />
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

/** The guide about the page that is open. */
function GuideLink({ onOpen }: { readonly onOpen: () => void }) {
  const page = useLocation({ select: (it) => guideOf(it.pathname) });
  const icon = <IconBook2 size={16} aria-hidden />;
  const props = { "aria-label": t("User guide"), onClick: onOpen, className: classes["guide"] };
  return (
    <Tooltip label={t("User guide")}>
      {page === undefined ? (
        <Link to="/docs" {...props}>
          {icon}
        </Link>
      ) : (
        <Link to="/docs/$page" params={{ page }} {...props}>
          {icon}
        </Link>
      )}
    </Tooltip>
  );
}

interface SectionProps {
  readonly section: PageSection;
  readonly isFolded: boolean;
  readonly onToggle: () => void;
  readonly onOpen: () => void;
}

function Section({ section, isFolded, onToggle, onOpen }: SectionProps) {
  const pathname = useLocation({ select: (it) => it.pathname });
  const { id, title, pages } = section;
  const items = pages.map((page) => <NavItem key={page.to} page={page} onOpen={onOpen} />);
  if (title === "") return items;
  const holdsOpen = pages.some(({ to }) => isBelow(to, pathname));
  const isOpen = holdsOpen || !isFolded;
  const itemsId = `main-${id}`;
  return (
    <>
      <button
        type="button"
        className={classes["heading"]}
        aria-expanded={isOpen}
        aria-controls={itemsId}
        disabled={holdsOpen}
        onClick={onToggle}
      >
        {title}
        <IconChevronDown size={13} aria-hidden />
      </button>
      <div id={itemsId} className={classes["group"]} hidden={!isOpen}>
        {items}
      </div>
    </>
  );
}

interface NavItemProps {
  readonly page: PageRow;
  readonly onOpen: () => void;
}

function NavItem({ page: { to, icon: Icon, title }, onOpen }: NavItemProps) {
  return (
    <Link
      to={to as never}
      onClick={onOpen}
      className={classes["item"]}
      activeOptions={{ exact: to === "/", includeSearch: false }}
      activeProps={{ "data-active": true }}
    >
      <Icon size={16} stroke={1.6} aria-hidden />
      {title}
      {to === "/problems" ? <OpenProblems /> : null}
    </Link>
  );
}

/** Open problems that are not suppressed. */
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
  const [colorScheme, setColorScheme] = useTheme();
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
          {t("System default")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function UserMenu() {
  const { user } = useRouteContext({ from: "/shell" });
  const navigate = useNavigate();
  const leave = useSignOut();
  const signOut = async () => {
    if (mayLeave()) await leave();
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
        {user.type === SUPER_ADMIN || user.denied?.includes("token.get") === true ? null : (
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
        <Menu.Item
          leftSection={<IconInfoCircle size={14} />}
          onClick={() => void navigate({ to: "/about" })}
        >
          {t("About Saker")}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={14} />} onClick={() => void signOut()}>
          {t("Sign out")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
