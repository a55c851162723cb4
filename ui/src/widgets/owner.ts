// The host or template that items, triggers and rules belong to.

import { useQuery } from "@tanstack/react-query";
import { fetchHost } from "@/api/hosts";
import { keys } from "@/api/query-keys";
import { TEMPLATES } from "@/api/templates";
import type { HostInterface } from "@/api/types";
import type { Owner } from "@/lib/owner";

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
        const template = await TEMPLATES.one(id, signal);
        return template === undefined
          ? undefined
          : { host: template.host, name: template.name, interfaces: [] };
      }
      return fetchHost(id, signal);
    },
  });
}
