// The time zone of a user: of the times on the pages and of messages.

import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouteContext } from "@tanstack/react-router";
import { keys } from "@/api/query-keys";
import { fetchDefaultZone } from "@/api/settings";
import { t } from "@/lib/i18n";
import { browserZone } from "@/lib/zone";
import { zoneOptions } from "@/lib/zone-options";

export interface ZoneFieldProps {
  readonly value: string;
  readonly onChange: (zone: string) => void;
  /** the user is the one who looks: the browser is this one */
  readonly isSelf: boolean;
}

export function ZoneField({ value, onChange, isSelf }: ZoneFieldProps) {
  const { user } = useRouteContext({ from: "/shell" });
  const { data: usual } = useQuery({
    queryKey: keys.settings("default zone"),
    queryFn: async ({ signal }) => (await fetchDefaultZone(signal)) ?? null,
  });
  const server = user.serverZone ?? "UTC";
  return (
    <Select
      label={t("Time zone")}
      description={
        value === "default"
          ? t("For times on the pages. Messages use the time zone of the server, {zone}.", {
              zone: server,
            })
          : t("For times on the pages, quiet hours and messages.")
      }
      data={zoneOptions(usualName(usual ?? undefined, isSelf))}
      value={value}
      searchable
      limit={100}
      allowDeselect={false}
      onChange={(zone) => onChange(zone ?? value)}
    />
  );
}

function usualName(usual: string | undefined, isSelf: boolean): string {
  if (usual !== undefined) return t("Default ({zone})", { zone: usual });
  return isSelf ? t("Browser time ({zone})", { zone: browserZone() }) : t("Browser time");
}
