// A map with the states of what stands on it.

import { Button, Menu, Select } from "@mantine/core";
import { IconChevronDown, IconPencil } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { t } from "@/lib/i18n";
import { SEVERITIES, severityName } from "@/lib/severity";
import { Page } from "@/ui/page";
import { QueryGate } from "@/ui/states";
import { ExportItems } from "@/widgets/export-items";
import { MapView } from "./map-view";
import { MAPS, useDrawnMap } from "./queries";

export interface MapPageProps {
  readonly sysmapid: string;
  /** undefined: as the map says */
  readonly severityMin: number | undefined;
  readonly onSeverityMin: (severity: number | undefined) => void;
}

export function MapPage({ sysmapid, severityMin, onSeverityMin }: MapPageProps) {
  const query = useDrawnMap(sysmapid, severityMin);
  const navigate = useNavigate();
  return (
    <Page
      title={query.data?.name ?? MAPS.words.one}
      actions={
        <>
          <Select
            aria-label={t("Minimum severity")}
            data={SEVERITIES.map((it) => ({ value: String(it), label: severityName(it) }))}
            value={String(severityMin ?? query.data?.severity_min ?? 0)}
            w={150}
            onChange={(it) => onSeverityMin(it === null ? undefined : Number(it))}
            allowDeselect={false}
          />
          {query.data === undefined ? null : (
            <Menu position="bottom-end">
              <Menu.Target>
                <Button variant="default" rightSection={<IconChevronDown size={14} />}>
                  {t("Export")}
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <ExportItems kind="maps" ids={[sysmapid]} />
              </Menu.Dropdown>
            </Menu>
          )}
          {query.data?.writable === true ? (
            <Button
              variant="default"
              leftSection={<IconPencil size={14} />}
              onClick={() => void navigate({ to: "/maps/$sysmapid/edit", params: { sysmapid } })}
            >
              {t("Edit")}
            </Button>
          ) : null}
        </>
      }
    >
      <QueryGate query={query}>{(map) => <MapView key={sysmapid} map={map} />}</QueryGate>
    </Page>
  );
}
