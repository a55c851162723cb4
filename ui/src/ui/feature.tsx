// The manifest of a feature: its pages with their addresses, its place in the navigation, its page of the guide. Each
// folder of features has one, `feature.ts`; app/features.ts lists them all. Routes, navigation, palette, keyboard
// shortcuts, links to the guide and the tour of the browser tests are made from the manifests.

import type { TablerIcon } from "@tabler/icons-react";
import {
  lazyRouteComponent,
  type RouteComponent,
  useNavigate,
  useParams,
  useSearch,
} from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { MethodName } from "@/api/rights";
import { type ParamsOf, paramNames, stringifySearch } from "@/lib/address";

export type SectionId = "monitoring" | "collection" | "alerts" | "users" | "administration";

/** The properties of a user that decide which pages are available. */
export interface PageUser {
  readonly type: number;
  /** elements that the role has; undefined: all */
  readonly ui?: readonly string[] | undefined;
  /** methods that the pages may not call for the user */
  readonly denied?: readonly string[] | undefined;
}

/** A page that the palette opens in addition to the feature's first one. */
export interface Command {
  readonly title: string;
  /** offered only to users who may call it */
  readonly call?: MethodName;
}

export interface PageOptions {
  /** the page's heading, if it is not the feature's title */
  readonly heading?: string;
  /** the form of a new object: its parameter in the address is "new" */
  readonly create?: Command;
  /** its page of the guide, if it is not the feature's */
  readonly guide?: string;
}

export interface PageDef<Path extends string = string, Search extends string = string>
  extends PageOptions {
  readonly path: Path;
  /** parameters of the address; others are dropped */
  readonly search: readonly Search[];
  readonly component: RouteComponent;
}

type Pages = readonly PageDef[];

export interface Feature<
  Own extends Pages = Pages,
  Parts extends Pages = Pages,
  OfHost extends Pages = Pages,
  OfTemplate extends Pages = Pages,
> {
  /** its name in the navigation and in the palette; without it, neither leads to it */
  readonly title?: string;
  /** its place in the navigation; within a section, features stand in the order of app/features.ts */
  readonly menu?: { readonly section: SectionId; readonly icon: TablerIcon };
  /** the least type of user who has it */
  readonly least?: number;
  /** elements of roles, of which a user needs one */
  readonly elements?: readonly string[];
  /** users who may open it although the navigation does not show it to them */
  readonly isOpenTo?: (user: PageUser) => boolean;
  /** the page of the guide that describes it */
  readonly guide?: string;
  /** further words that the palette finds it by, as its name in Zabbix */
  readonly words?: string;
  /** keys that open it, with their description in the help */
  readonly shortcut?: { readonly keys: string; readonly does: string };
  /** pages with a filter that the palette offers by a name of their own */
  readonly filtered?: readonly { readonly title: string; readonly href: string }[];
  /** the first one is the feature's */
  readonly pages: Own;
  /** pages that hosts and templates both have, by their paths below them */
  readonly parts?: Parts;
  readonly ofHost?: OfHost;
  readonly ofTemplate?: OfTemplate;
}

export function feature<
  const Own extends Pages,
  const Parts extends Pages = [],
  const OfHost extends Pages = [],
  const OfTemplate extends Pages = [],
>(manifest: Feature<Own, Parts, OfHost, OfTemplate>): Feature<Own, Parts, OfHost, OfTemplate> {
  return manifest;
}

/** Imports a module that has a component of the name. A chunk of its own: it loads when the page is first opened. */
export type Load<Name extends string, Props = object> = () => Promise<
  // `void`: what a component renders depends on routes, and these on the manifests
  Record<Name, (props: Props) => void>
>;

/** A component whose module the router can load ahead. */
export type Lazy<Props> = ((props: Props) => ReactNode) & Pick<RouteComponent, "preload">;

/** The component while its module loads and after. */
export function lazily<Name extends string, Props>(
  load: Load<Name, Props>,
  name: Name,
): Lazy<Props> {
  return lazyRouteComponent(load as () => Promise<Record<string, never>>, name);
}

/** A component that renders a lazy one. */
export function around<Props>(inner: Lazy<Props>, render: () => ReactNode): RouteComponent {
  return Object.assign(render, { preload: () => inner.preload?.() });
}

/** A page that reads its address itself. */
export function page<
  const Path extends string,
  Name extends string,
  const Search extends string = never,
>(
  path: Path,
  load: Load<Name>,
  name: Name,
  { search = [], ...options }: PageOptions & { readonly search?: readonly Search[] } = {},
): PageDef<Path, Search> {
  return { path, search, component: lazily(load, name), ...options };
}

export interface ListProps {
  /** of the search box */
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** A list with a search box. */
export function list<const Path extends string, Name extends string>(
  path: Path,
  load: Load<Name, ListProps>,
  name: Name,
): PageDef<Path, "q"> {
  const inner = lazily(load, name);
  const component = around(inner, () => <List path={path} page={inner} />);
  return { path, search: ["q"], component };
}

interface ListRouteProps {
  readonly path: string;
  readonly page: Lazy<ListProps>;
}

function List({ path, page: Page }: ListRouteProps) {
  return <Page {...useListText(path)} />;
}

/** The text of a list's search box, kept in the address. */
export function useListText(path: string): ListProps {
  const { q = "" }: { readonly q?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const onText = (text: string) =>
    void navigate({ href: `${path}${stringifySearch({ q: text })}`, replace: true });
  return { text: q, onText };
}

/** The parameters of the address, and the way back. */
export type FormProps<Path extends string> = Readonly<Record<ParamsOf<Path>, string>> & {
  readonly onDone: () => void;
};

/** The form of an object: it goes back to the list, which is the address without its last part. */
export function form<const Path extends string, Name extends string>(
  path: Path,
  load: Load<Name, FormProps<Path>>,
  name: Name,
  options: PageOptions = {},
): PageDef<Path, never> {
  const inner = lazily(load, name);
  const component = around(inner, () => <Form path={path} page={inner} />);
  return { path, search: [], component, ...options };
}

interface FormRouteProps<Path extends string> {
  readonly path: Path;
  readonly page: Lazy<FormProps<Path>>;
}

function Form<Path extends string>({ path, page: Page }: FormRouteProps<Path>) {
  const params: Readonly<Record<string, string | undefined>> = useParams({ strict: false });
  const navigate = useNavigate();
  const own = Object.fromEntries(paramNames(path).map((it) => [it, params[it]]));
  const back = path.slice(0, path.lastIndexOf("/")) || "/";
  const onDone = () => void navigate({ href: back, ignoreBlocker: true });
  return <Page {...({ ...own, onDone } as FormProps<Path>)} />;
}
