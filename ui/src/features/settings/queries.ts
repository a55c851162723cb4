import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
import { keys } from "@/api/query-keys";
import {
  fetchSettings,
  type SettingsKind,
  type SettingsValues,
  updateSettings,
} from "@/api/settings";
import { t } from "@/lib/i18n";
import { notifyDone } from "@/ui/notify";

export function useSettings(kind: SettingsKind) {
  return useQuery({
    queryKey: keys.settings(kind),
    queryFn: ({ signal }) => fetchSettings(kind, signal),
  });
}

export function useSaveSettings(kind: SettingsKind, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (changes: SettingsValues) => {
      // the server refuses a call that changes nothing
      if (Object.keys(changes).length > 0) await updateSettings(kind, changes);
    },
    onSuccess: async () => {
      notifyDone(t("Settings saved"));
      await changed(client, "settings");
      onDone();
    },
  });
}
