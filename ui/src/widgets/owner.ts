// Items, triggers and rules belong to a host or to a template; the API treats both as hosts.

import { useQuery } from "@tanstack/react-query";
import { fetchHost } from "@/api/hosts";
import { keys } from "@/api/query-keys";
import { fetchTemplate } from "@/api/templates";
import type { HostInterface, Id } from "@/api/types";

export type OwnerKind = "host" | "template";

export interface Owner {
  readonly kind: OwnerKind;
  readonly id: Id;
}

/** The address of what is below an owner. */
export function ownerPath({ kind, id }: Owner, part: string): string {
  return `/${kind}s/${id}/${part}`;
}

export interface OwnerDetails {
  readonly host: string;
  readonly name: string;
  readonly interfaces: readonly HostInterface[];
}

export function useOwner(owner: Owner) {
  const { kind, id } = owner;
  return useQuery({
    queryKey: kind === "host" ? [...keys.host(id), "owner"] : [...keys.template(id), "owner"],
    queryFn: async ({ signal }): Promise<OwnerDetails | undefined> => {
      if (kind === "template") {
        const template = await fetchTemplate(id, signal);
        return template === undefined
          ? undefined
          : { host: template.host, name: template.name, interfaces: [] };
      }
      return fetchHost(id, signal);
    },
  });
}
