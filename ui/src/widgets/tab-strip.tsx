// Tabs of a host or template in one line: those that have no room stand in a menu at its end.

import { Menu, UnstyledButton } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { Link, useLocation } from "@tanstack/react-router";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { t } from "@/lib/i18n";
import classes from "./tab-strip.module.css";

/** Pixels between tabs, as in the styles. */
const GAP = 2;

/** The style of a tab, for a link next to them. */
export const TAB_CLASS = classes["tab"];

export interface Tab {
  readonly path: string;
  readonly name: string;
}

export interface TabStripProps {
  readonly label: string;
  readonly title: ReactNode;
  /** before the tabs: where the holder is used */
  readonly before?: ReactNode;
  /** at the end of the line */
  readonly end?: ReactNode;
  readonly tabs: readonly Tab[];
}

/** How many tabs stand in the first line: the others wrap, and what wraps is not seen. */
function countFitting(row: HTMLElement, more: HTMLElement | null): number {
  const tabs = [...row.children].filter((it) => it instanceof HTMLElement);
  // without the menu they would have its room, too
  const [first, last] = [tabs[0], tabs.at(-1)];
  const wide = tabs.reduce((sum, it) => sum + it.offsetWidth + GAP, 0);
  if (wide <= row.clientWidth + (more?.offsetWidth ?? 0)) return tabs.length;
  if (first === undefined || last?.offsetTop === first.offsetTop) return tabs.length;
  return tabs.findIndex((it) => it.offsetTop > first.offsetTop);
}

export function TabStrip({ label, title, before, end, tabs }: TabStripProps) {
  const row = useRef<HTMLDivElement>(null);
  const more = useRef<HTMLButtonElement>(null);
  const [fitting, setFitting] = useState(tabs.length);
  useLayoutEffect(() => {
    const { current } = row;
    if (current === null) return;
    const count = () => setFitting(countFitting(current, more.current));
    count();
    const observer = new ResizeObserver(count);
    // tabs change when their font has come
    for (const it of [current, ...current.children]) observer.observe(it);
    return () => observer.disconnect();
  }, []);
  const { pathname } = useLocation();
  const isOpen = ({ path }: Tab) => pathname === path || pathname.startsWith(`${path}/`);
  const rest = tabs.slice(fitting);
  const open = rest.find(isOpen);
  return (
    <nav className={classes["strip"]} aria-label={label}>
      <span className={classes["title"]}>{title}</span>
      {before}
      <div ref={row} className={classes["row"]}>
        {tabs.map(({ path, name }, at) => (
          <Link
            key={path}
            to={path as never}
            className={classes["tab"]}
            activeOptions={{ includeSearch: false }}
            activeProps={{ "data-active": true }}
            // in the menu instead
            inert={at >= fitting}
          >
            {name}
          </Link>
        ))}
      </div>
      {rest.length === 0 ? null : (
        <Menu position="bottom-end">
          <Menu.Target>
            <UnstyledButton
              ref={more}
              className={`${classes["tab"]} ${classes["more"]}`}
              data-active={open === undefined ? undefined : true}
              aria-label={
                open === undefined ? undefined : t("More tabs: {name}", { name: open.name })
              }
            >
              {open?.name ?? t("More")}
              <IconChevronDown size={14} aria-hidden />
            </UnstyledButton>
          </Menu.Target>
          <Menu.Dropdown>
            {rest.map(({ path, name }) => (
              <Menu.Item key={path} component={Link} to={path as never}>
                {name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {end === undefined ? null : <span className={classes["end"]}>{end}</span>}
    </nav>
  );
}
