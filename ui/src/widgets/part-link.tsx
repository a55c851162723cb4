// To an item, trigger or rule of a host or template, or to what belongs to one.

import { Link } from "@tanstack/react-router";
import { type Owner, ownerPath } from "@/lib/owner";

export interface PartLinkProps {
  readonly owner: Owner;
  /** below the owner: `items/10` */
  readonly part: string;
  readonly name: string;
}

export function PartLink({ owner, part, name }: PartLinkProps) {
  return (
    <Link className="ellipsis" to={ownerPath(owner, part)} title={name} data-opens-row>
      {name}
    </Link>
  );
}
