// What the manifests of all features say together: the navigation, the pages that a user may open, the palette's pages,
// and the page of the guide about an address.

import { t } from "@/lib/i18n";
import { USER } from "@/lib/user-type";
import type { Command, Feature, PageDef, PageUser, SectionId } from "@/ui/feature";
import { FEATURES } from "./features";

const ALL: readonly Feature[] = FEATURES;

const SECTIONS: readonly { readonly id: SectionId; readonly title: string }[] = [
  { id: "monitoring", title: "" },
  { id: "collection", title: t("Data collection") },
  { id: "alerts", title: t("Alerts") },
  { id: "users", title: t("Users") },
  { id: "administration", title: t("Administration") },
];

export interface PageRow {
  /** the feature's first address */
  readonly to: string;
  readonly icon: NonNullable<Feature["menu"]>["icon"];
  readonly title: string;
}

export interface PageSection {
  readonly id: SectionId;
  /** empty: it has no heading and is not folded */
  readonly title: string;
  readonly pages: readonly PageRow[];
}

/** The navigation of a user; sections without pages are left out. */
export function sectionsFor(user: PageUser): readonly PageSection[] {
  const own = ALL.filter((it) => isShownTo(user, it));
  return SECTIONS.map((section) => ({
    ...section,
    pages: own.flatMap(({ title, menu, pages: [first] }) =>
      menu?.section === section.id && title !== undefined && first !== undefined
        ? [{ to: first.path, icon: menu.icon, title }]
        : [],
    ),
  })).filter(({ pages }) => pages.length > 0);
}

function isShownTo(user: PageUser, { least = USER, elements }: Feature): boolean {
  const hasElement = elements === undefined || elements.some((it) => user.ui?.includes(it) ?? true);
  return hasElement && least <= user.type;
}

function mayOpen(user: PageUser, feature: Feature): boolean {
  return feature.isOpenTo?.(user) ?? isShownTo(user, feature);
}

/** The first page that a user has, if it is not the one at the root; undefined: it is that one. */
export function firstPage(user: PageUser): string | undefined {
  const first = sectionsFor(user)[0]?.pages[0]?.to;
  return first === "/" ? undefined : first;
}

/** Whether an address is that of a page that the user's role does not have, or below it. */
export function isDenied(user: PageUser, pathname: string): boolean {
  const feature = ALL.find(({ pages: [first] }) => first && isBelow(first.path, pathname));
  return feature !== undefined && !mayOpen(user, feature);
}

/** Whether an address is that of a page or below it. */
export function isBelow(to: string, pathname: string): boolean {
  return to === "/" ? pathname === "/" : pathname === to || pathname.startsWith(`${to}/`);
}

export interface FoundPage {
  readonly title: string;
  readonly words: string;
  readonly href: string;
}

/** What the palette finds for a user: pages first, then filtered pages and forms of new objects. */
export function foundPages(user: PageUser): readonly FoundPage[] {
  const own = ALL.filter((it) => mayOpen(user, it));
  const may = ({ call }: Command) => call === undefined || user.denied?.includes(call) !== true;
  return [
    ...own.flatMap(({ title, words = "", pages: [first] }) =>
      title !== undefined && first !== undefined ? [{ title, words, href: first.path }] : [],
    ),
    ...own.flatMap(({ filtered = [] }) => filtered.map((it) => ({ ...it, words: "" }))),
    ...own.flatMap(({ pages }) =>
      pages.flatMap(({ path, create }) =>
        create !== undefined && may(create)
          ? [{ title: create.title, words: "", href: newPath(path) }]
          : [],
      ),
    ),
  ];
}

/** The address of the form of a new object. */
export function newPath(path: string): string {
  return path.replace(/\$\w+/, "new");
}

/** Keys that open pages, with their description. */
export const SHORTCUTS = ALL.flatMap(({ shortcut, pages: [first] }) =>
  shortcut !== undefined && first !== undefined ? [{ ...shortcut, href: first.path }] : [],
);

/** Every address with a page, by its segments; those of parts below hosts and templates. */
function addressesOf({ pages, parts = [], ofHost = [], ofTemplate = [] }: Feature) {
  const below = (base: string) => (page: PageDef) => ({ ...page, path: `${base}/${page.path}` });
  return [
    ...pages,
    ...[...parts, ...ofHost].map(below("/hosts/$hostid")),
    ...[...parts, ...ofTemplate].map(below("/templates/$templateid")),
  ];
}

const GUIDES = ALL.flatMap((feature) =>
  addressesOf(feature).flatMap(({ path, guide = feature.guide }) =>
    guide === undefined ? [] : [{ segments: path.split("/"), guide }],
  ),
).sort((a, b) => b.segments.length - a.segments.length);

/** The guide's page for an address, that of the closest page above it; undefined: there is none of its own. */
export function guideOf(pathname: string): string | undefined {
  const given = pathname.split("/");
  const fits = (segments: readonly string[]) =>
    segments.every((it, at) => it === given[at] || (it.startsWith("$") && given[at] !== undefined));
  return GUIDES.find(({ segments }) => fits(segments))?.guide;
}
