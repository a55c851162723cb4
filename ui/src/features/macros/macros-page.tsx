// Global macros: values that hold everywhere unless a host or template has its own.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changed } from "@/api/changes";
import { fetchGlobalMacros, saveGlobalMacros } from "@/api/macros";
import { keys } from "@/api/query-keys";
import type { Macro } from "@/api/types";
import { locale, t } from "@/lib/i18n";
import { checkMacroName } from "@/lib/macro";
import { Form, Section } from "@/ui/form";
import { notifyDone } from "@/ui/notify";
import { Page } from "@/ui/page";
import { QueryGate } from "@/ui/states";
import { keyed } from "@/widgets/keyed";
import { type MacroDraft, MacroEditor } from "@/widgets/macro-editor";

export function MacrosPage({ onDone }: { readonly onDone: () => void }) {
  const query = useQuery({
    queryKey: keys.globalMacros,
    queryFn: ({ signal }) => fetchGlobalMacros(signal),
  });
  return (
    <Page title={t("Global macros")} scroll>
      <QueryGate query={query}>
        {(macros) => <MacrosForm key={query.dataUpdatedAt} macros={macros} onDone={onDone} />}
      </QueryGate>
    </Page>
  );
}

interface MacrosFormProps {
  readonly macros: readonly Macro[];
  readonly onDone: () => void;
}

function MacrosForm({ macros, onDone }: MacrosFormProps) {
  const client = useQueryClient();
  const [first] = useState(() => macros.toSorted(byName).map(keyed));
  const [drafts, setDrafts] = useState<readonly MacroDraft[]>(first);
  const save = useMutation({
    mutationFn: () =>
      saveGlobalMacros(
        first,
        drafts.filter(({ macro }) => macro !== ""),
      ),
    onSuccess: () => {
      notifyDone(t("Global macros saved"));
      void changed(client, "globalMacros");
    },
  });
  const isComplete = drafts.every(({ macro }) => macro === "" || checkMacroName(macro).ok);
  return (
    <Form
      label={t("Global macros")}
      draft={drafts}
      onSubmit={() => {
        if (isComplete) save.mutate();
      }}
      onCancel={onDone}
      submitText={t("Save")}
      busy={save.isPending}
      error={save.error}
    >
      <Section
        title={t("Macros")}
        hint={t("They hold for all hosts and templates that have no own value of the name.")}
      >
        <MacroEditor macros={drafts} onChange={setDrafts} />
      </Section>
    </Form>
  );
}

function byName(a: Macro, b: Macro): number {
  return a.macro.localeCompare(b.macro, locale());
}
