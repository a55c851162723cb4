// Routes made from the manifests. The types keep each address with its parameters: a link to an address that no
// manifest has does not compile.

import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { pickSearch } from "@/lib/address";
import type { PageDef } from "@/ui/feature";
import { FEATURES } from "./features";
import { shell } from "./root-tree";

function optionsOf<Path extends string, Name extends string>(def: PageDef<Path, Name>) {
  const { path, search, component } = def;
  return {
    path,
    component,
    validateSearch: (given: Record<string, unknown>) => pickSearch(given, search),
  };
}

// ---- pages of their own

function pageRoute<Path extends string, Name extends string>(def: PageDef<Path, Name>) {
  return createRoute({ getParentRoute: () => shell, ...optionsOf(def) });
}

type PageRoute<Def> =
  Def extends PageDef<infer Path, infer Name> ? ReturnType<typeof pageRoute<Path, Name>> : never;

// ---- below a host

const host = createRoute({
  getParentRoute: () => shell,
  path: "/hosts/$hostid",
  component: lazyRouteComponent(() => import("@/features/hosts/routes"), "HostLayout"),
});

const hostIndex = createRoute({
  getParentRoute: () => host,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/hosts/$hostid/overview", params, replace: true });
  },
});

function hostRoute<Path extends string, Name extends string>(def: PageDef<Path, Name>) {
  return createRoute({ getParentRoute: () => host, ...optionsOf(def) });
}

type HostRoute<Def> =
  Def extends PageDef<infer Path, infer Name> ? ReturnType<typeof hostRoute<Path, Name>> : never;

// ---- below a template

const template = createRoute({
  getParentRoute: () => shell,
  path: "/templates/$templateid",
  component: lazyRouteComponent(() => import("@/features/templates/routes"), "TemplateLayout"),
});

const templateIndex = createRoute({
  getParentRoute: () => template,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/templates/$templateid/items", params, replace: true });
  },
});

function templateRoute<Path extends string, Name extends string>(def: PageDef<Path, Name>) {
  return createRoute({ getParentRoute: () => template, ...optionsOf(def) });
}

type TemplateRoute<Def> =
  Def extends PageDef<infer Path, infer Name>
    ? ReturnType<typeof templateRoute<Path, Name>>
    : never;

// ---- all of them

type Any = (typeof FEATURES)[number];
type OwnPage = Any["pages"][number];
type Part = NonNullable<Any["parts"]>[number];
type OfHost = NonNullable<Any["ofHost"]>[number];
type OfTemplate = NonNullable<Any["ofTemplate"]>[number];

const parts = FEATURES.flatMap((it): readonly PageDef[] => it.parts ?? []);
const ofHost = FEATURES.flatMap((it): readonly PageDef[] => it.ofHost ?? []);
const ofTemplate = FEATURES.flatMap((it): readonly PageDef[] => it.ofTemplate ?? []);

// `map` would lose which parameters belong to which address
export const pageRoutes = FEATURES.flatMap((it): readonly PageDef[] => it.pages).map(
  (it) => pageRoute(it) as never,
) as PageRoute<OwnPage>[];

const hostRoutes = [...parts, ...ofHost].map((it) => hostRoute(it) as never) as HostRoute<
  Part | OfHost
>[];

const templateRoutes = [...parts, ...ofTemplate].map(
  (it) => templateRoute(it) as never,
) as TemplateRoute<Part | OfTemplate>[];

export const hostTree = host.addChildren([hostIndex, ...hostRoutes]);
export const templateTree = template.addChildren([templateIndex, ...templateRoutes]);
