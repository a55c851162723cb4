// Items, triggers and rules belong to a host or to a template; the API treats both as hosts.

export type OwnerKind = "host" | "template";

export interface Owner {
  readonly kind: OwnerKind;
  readonly id: string;
}

/** The address of a page below an owner. */
export function ownerPath({ kind, id }: Owner, part: string): string {
  return `/${kind}s/${id}/${part}`;
}
