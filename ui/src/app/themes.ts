// Zabbix's themes, and what they come to here.

import type { MantineColorScheme } from "@mantine/core";

/** The colors of a theme; undefined: as this browser has them. */
export function schemeOf(theme: string): MantineColorScheme | undefined {
  if (theme === "dark-theme" || theme === "hc-dark") return "dark";
  if (theme === "blue-theme" || theme === "hc-light") return "light";
  return undefined;
}

export function themeOf(scheme: MantineColorScheme): string {
  return { light: "blue-theme", dark: "dark-theme", auto: "default" }[scheme];
}
