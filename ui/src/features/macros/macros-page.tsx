// Global macros: values that hold everywhere unless a host or template has its own.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
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
import { useEdited } from "@/widgets/objects/edited";

export function MacrosPage({ onDone }: { readonly onDone: () => void }) {
  const query = useQuery({
    queryKey: keys.globalMacros,
    queryFn: ({ signal }) => fetchGlobalMacros(signal),
  });
  return (
    <Page title={t("Global macros")} scroll>
      <QueryGate query={query}>
        {(macros) => <MacrosForm macros={macros} onDone={onDone} />}
      </QueryGate>
    </Page>
  );
}

interface MacroFields {
  readonly macros: readonly MacroDraft[];
}

interface MacrosFormProps {
  readonly macros: readonly Macro[];
  readonly onDone: () => void;
}

function MacrosForm({ macros, onDone }: MacrosFormProps) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: ({ before, after }: { before: MacroFields; after: MacroFields }) =>
      saveGlobalMacros(
        before.macros,
        after.macros.filter(({ macro }) => macro !== ""),
      ),
    onSuccess: () => {
      notifyDone(t("Global macros saved"));
      edited.saved();
      void changed(client, "globalMacros");
    },
  });
  const edited = useEdited<MacroFields>({
    server: () => ({ macros: macros.toSorted(byName).map(keyed) }),
    exists: true,
    onSave: (after, before) => save.mutate({ before, after }),
  });
  const drafts = edited.fields.macros;
  const isComplete = drafts.every(({ macro }) => macro === "" || checkMacroName(macro).ok);
  return (
    <Form
      label={t("Global macros")}
      call="usermacro.updateglobal"
      draft={edited.fields}
      base={edited.base}
      onSubmit={() => {
        if (isComplete) edited.submit();
      }}
      onCancel={onDone}
      submitText={t("Save")}
      busy={save.isPending || edited.checking}
      error={save.error}
      note={edited.note}
    >
      <Section
        title={t("Macros")}
        hint={t(
          "These macros apply to every host and template that does not define the macro itself.",
        )}
      >
        <MacroEditor macros={drafts} onChange={(next) => edited.set({ macros: next })} />
      </Section>
    </Form>
  );
}

function byName(a: Macro, b: Macro): number {
  return a.macro.localeCompare(b.macro, locale());
}
