// Entries of a menu that save what is picked as a file.

import { Menu } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ExportFormat, type ExportKind, exportConfiguration } from "@/api/configuration";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { saveBlob } from "@/lib/save-file";
import { notifyFailed } from "@/ui/notify";

const FORMATS: readonly (readonly [ExportFormat, string])[] = [
  ["yaml", "application/yaml"],
  ["json", "application/json"],
  ["xml", "application/xml"],
];

export interface ExportItemsProps {
  readonly kind: ExportKind;
  readonly ids: readonly Id[];
}

export function ExportItems({ kind, ids }: ExportItemsProps) {
  const save = useMutation({
    mutationFn: async ([format, type]: readonly [ExportFormat, string]) => {
      const text = await exportConfiguration(kind, ids, format);
      saveBlob(
        `zabbix_export_${kind}.${format}`,
        new Blob([text], { type: `${type};charset=utf-8` }),
      );
    },
    onError: (error) => notifyFailed(t("The export failed."), error),
  });
  return (
    <>
      {FORMATS.map((format) => (
        <Menu.Item key={format[0]} onClick={() => save.mutate(format)}>
          {t("Export as {format}", { format: format[0].toUpperCase() })}
        </Menu.Item>
      ))}
    </>
  );
}
