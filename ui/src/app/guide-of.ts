// Which page of the guide describes a page of the UI.

const GUIDE_OF: readonly (readonly [address: string, page: string])[] = [
  ["/problems", "events"],
  ["/events", "explain"],
  ["/latest", "graphs"],
  ["/graphs", "graphs"],
  ["/dashboards", "dashboards"],
  ["/web", "web-scenarios"],
  ["/maps", "maps"],
  ["/images", "maps"],
  ["/iconmaps", "maps"],
  ["/services", "services"],
  ["/sla", "services"],
  ["/oncall", "oncall"],
  ["/hosts", "hosts"],
  ["/templates", "official-templates"],
  ["/maintenance", "maintenance"],
  ["/discovered", "network-discovery"],
  ["/network-discovery", "network-discovery"],
  ["/actions", "actions"],
  ["/correlation", "correlation"],
  ["/mediatypes", "media"],
  ["/media", "media"],
  ["/alerts", "media"],
  ["/scripts", "scripts"],
  ["/users", "users"],
  ["/usergroups", "rights"],
  ["/roles", "rights"],
  ["/tokens", "users"],
  ["/profile", "users"],
  ["/audit", "users"],
  ["/regexps", "regular-expressions"],
  ["/connectors", "streaming"],
  ["/queue", "queue"],
  ["/storage", "housekeeping"],
  ["/housekeeping", "housekeeping"],
  ["/settings", "settings"],
  ["/macros", "macros"],
  ["/system", "overview"],
];

/** The guide's page for an address; undefined: there is none of its own. */
export function guideOf(pathname: string): string | undefined {
  if (pathname === "/") return "overview";
  // parts of a host that have a page of their own
  if (/^\/(hosts|templates)\/[^/]+\/triggers/.test(pathname)) return "expressions";
  if (/^\/(hosts|templates)\/[^/]+\/items/.test(pathname)) return "preprocessing";
  const found = GUIDE_OF.find(([it]) => pathname === it || pathname.startsWith(`${it}/`));
  return found?.[1];
}
