// Where messages reach the user who is logged in.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changed } from "@/api/changes";
import {
  fetchMedias,
  fetchMediaTypeNames,
  type Media,
  type MediaTypeName,
  saveMedias,
} from "@/api/media";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { Form } from "@/ui/form";
import { notifyDone } from "@/ui/notify";
import { Page } from "@/ui/page";
import { EmptyState, QueryGate } from "@/ui/states";
import { type Keyed, keyed } from "@/widgets/keyed";
import { areMediasComplete, MediaRows, mediaOf } from "@/widgets/media-rows";
import { useEdited } from "@/widgets/objects/edited";
import { refusalOf } from "@/widgets/objects/object-form";
import { useMayAct } from "@/widgets/role";

export interface MediaPageProps {
  readonly userid: Id;
  readonly onDone: () => void;
}

export function MediaPage({ userid, onDone }: MediaPageProps) {
  const mayEdit = useMayAct()("edit_own_media");
  const query = useQuery({
    enabled: mayEdit,
    queryKey: keys.medias(userid),
    queryFn: async ({ signal }) => {
      const [medias, types] = await Promise.all([
        fetchMedias(userid, signal),
        fetchMediaTypeNames(signal),
      ]);
      return { medias, types };
    },
  });
  return (
    <Page title={t("My media")} scroll>
      {mayEdit ? (
        <QueryGate query={query}>
          {({ medias, types }) => (
            <MediaForm userid={userid} medias={medias} types={types} onDone={onDone} />
          )}
        </QueryGate>
      ) : (
        <EmptyState title={t("Your role does not allow you to edit these media.")} />
      )}
    </Page>
  );
}

interface MediaFormProps extends MediaPageProps {
  readonly medias: readonly Media[];
  readonly types: readonly MediaTypeName[];
}

function MediaForm({ userid, medias, types, onDone }: MediaFormProps) {
  const client = useQueryClient();
  const [attempted, setAttempted] = useState(false);
  const save = useMutation({
    mutationFn: (rows: readonly Keyed<Media>[]) => saveMedias(userid, rows.map(mediaOf)),
    onSuccess: () => {
      notifyDone(t("Media saved"));
      void changed(client, "medias");
      onDone();
    },
  });
  const edited = useEdited<{ readonly medias: readonly Keyed<Media>[] }>({
    server: () => ({ medias: medias.map(keyed) }),
    exists: true,
    onSave: (whole) => save.mutate(whole.medias),
  });
  const rows = edited.fields.medias;
  const submit = () => {
    setAttempted(true);
    if (areMediasComplete(rows)) edited.submit();
  };
  const change = (next: readonly Keyed<Media>[]) => {
    // places of what was said of former rows are no longer true
    save.reset();
    edited.set({ medias: next });
  };
  return (
    <Form
      label={t("My media")}
      call="user.update"
      draft={edited.fields}
      base={edited.base}
      onSubmit={submit}
      onCancel={onDone}
      submitText={t("Save")}
      busy={save.isPending || edited.checking}
      error={save.error}
      note={edited.note}
    >
      <MediaRows
        rows={rows}
        types={types}
        onChange={change}
        attempted={attempted}
        refusal={refusalOf(save.error)}
        none={t("Actions cannot notify you until you add media.")}
      />
    </Form>
  );
}
