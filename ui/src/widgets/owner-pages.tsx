// Pages below a host or a template, in manifests: the same for both, the address names the owner.

import { useNavigate, useParams } from "@tanstack/react-router";
import { paramNames } from "@/lib/address";
import { type Owner, ownerPath } from "@/lib/owner";
import {
  around,
  type FormProps,
  type Lazy,
  type ListProps,
  type Load,
  lazily,
  type PageDef,
  type PageOptions,
  useListText,
} from "@/ui/feature";

/** The owner that the address names, with the other parameters. */
export function useOwned() {
  const params: Readonly<Record<string, string | undefined>> = useParams({ strict: false });
  const owner: Owner =
    params["hostid"] === undefined
      ? { kind: "template", id: params["templateid"] ?? "" }
      : { kind: "host", id: params["hostid"] };
  return { owner, params };
}

interface RouteProps<Props> {
  readonly path: string;
  readonly page: Lazy<Props>;
}

export interface OwnerProps {
  readonly owner: Owner;
}

/** A page that needs no more than its owner. */
export function ownerPage<const Path extends string, Name extends string>(
  path: Path,
  load: Load<Name, OwnerProps>,
  name: Name,
): PageDef<Path, never> {
  const inner = lazily(load, name);
  return { path, search: [], component: around(inner, () => <Part path={path} page={inner} />) };
}

function Part({ page: Page }: RouteProps<OwnerProps>) {
  const { owner } = useOwned();
  return <Page key={owner.id} owner={owner} />;
}

export interface OwnerListProps extends OwnerProps, ListProps {
  /** opens what is below the list: an id, or "new" */
  readonly onOpen: (below: string) => void;
}

/** A list with a search box, and forms below its address. */
export function ownerList<const Path extends string, Name extends string>(
  path: Path,
  load: Load<Name, OwnerListProps>,
  name: Name,
): PageDef<Path, "q"> {
  const inner = lazily(load, name);
  const component = around(inner, () => <List path={path} page={inner} />);
  return { path, search: ["q"], component };
}

function List({ path, page: Page }: RouteProps<OwnerListProps>) {
  const { owner } = useOwned();
  const navigate = useNavigate();
  const base = ownerPath(owner, path);
  return (
    <Page
      key={owner.id}
      owner={owner}
      {...useListText(base)}
      onOpen={(below) => void navigate({ href: `${base}/${below}` })}
    />
  );
}

export type OwnerFormProps<Path extends string> = OwnerProps & FormProps<Path>;

/** The form of an object. It goes back to the rule of `rules/$rule/items/$item`, to the list of `items/$item`. */
export function ownerForm<const Path extends string, Name extends string>(
  path: Path,
  load: Load<Name, OwnerFormProps<Path>>,
  name: Name,
  options: PageOptions = {},
): PageDef<Path, never> {
  const inner = lazily(load, name);
  const component = around(inner, () => <Form path={path} page={inner as Lazy<OwnerProps>} />);
  return { path, search: [], component, ...options };
}

/** The part of an address that names the object or list above a form's. */
export function aboveForm(path: string): string {
  const segments = path.split("/");
  const above = paramNames(path).at(-2);
  const kept = above === undefined ? segments.length - 1 : segments.indexOf(`$${above}`) + 1;
  return segments.slice(0, kept).join("/");
}

function Form({ path, page: Page }: RouteProps<OwnerProps>) {
  const { owner, params } = useOwned();
  const navigate = useNavigate();
  const own = Object.fromEntries(paramNames(path).map((it) => [it, params[it] ?? "new"]));
  const above = aboveForm(path).replaceAll(/\$(\w+)/g, (_, name: string) => own[name] ?? "");
  const onDone = () => void navigate({ href: ownerPath(owner, above), ignoreBlocker: true });
  return <Page {...{ ...own, owner, onDone }} />;
}
