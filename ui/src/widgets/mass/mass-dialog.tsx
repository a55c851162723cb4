// One change of many objects: of each field one says whether it is changed, and to what. What is not ticked stays.

import { Button, Checkbox } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { changed } from "@/api/changes";
import { changeTags } from "@/api/mass";
import type { Id, Tag } from "@/api/types";
import { t } from "@/lib/i18n";
import { FormError } from "@/ui/form";
import { FormDialog } from "@/ui/form-dialog";
import { notifyDone } from "@/ui/notify";
import type { Keyed } from "@/widgets/keyed";
import { cleanTags, TagEditor } from "@/widgets/tag-editor";
import { HowSelect } from "./how-select";
import classes from "./mass.module.css";
import { changedTags, type How } from "./tags";

export interface MassField {
  readonly id: string;
  readonly label: string;
  readonly editor: ReactNode;
}

export interface MassParts<F> {
  readonly fields: F;
  readonly set: (change: Partial<F>) => void;
}

export interface MassDialogProps<F> {
  readonly object: "host" | "template" | "item" | "trigger";
  readonly ids: readonly Id[];
  readonly title: string;
  /** "2 hosts updated" */
  readonly done: string;
  readonly first: F;
  /** in the order of the dialog; tags follow, all of these objects have them */
  readonly fields: (parts: MassParts<F>) => readonly MassField[];
  /** changes the ticked fields except the tags */
  readonly apply: (fields: F, ticked: ReadonlySet<string>) => Promise<void>;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

const TAGS = "tags";

export function MassDialog<F extends object>(props: MassDialogProps<F>) {
  const { object, ids, title, done, first, apply, onDone, onClose } = props;
  const client = useQueryClient();
  const [fields, setFields] = useState(first);
  const [how, setHow] = useState<How>("add");
  const [tags, setTags] = useState<readonly Keyed<Tag>[]>([]);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const update = useMutation({
    mutationFn: async () => {
      await apply(fields, ticked);
      if (!ticked.has(TAGS)) return;
      const given = cleanTags(tags);
      await changeTags(object, ids, (before) => changedTags(before, how, given));
    },
    onSuccess: () => {
      notifyDone(done);
      onDone();
    },
    // of several calls the first ones may be made
    onSettled: () => void changed(client, object),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // the dialog stands within the page of a list, whose forms are not meant
    event.stopPropagation();
    update.mutate();
  };
  const toggle = (id: string) => {
    const next = new Set(ticked);
    if (!next.delete(id)) next.add(id);
    setTicked(next);
  };
  const set = (change: Partial<F>) => setFields((before) => ({ ...before, ...change }));
  const tagField: MassField = {
    id: TAGS,
    label: t("Tags"),
    editor: (
      <>
        <HowSelect label={t("Tags: mode")} value={how} onChange={setHow} />
        <TagEditor tags={tags} onChange={setTags} />
      </>
    ),
  };
  return (
    <FormDialog title={title} size="xl" changed={ticked.size > 0} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <div className={classes["fields"]}>
          {[...props.fields({ fields, set }), tagField].map(({ id, label, editor }) => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box
            <div key={id} className={classes["field"]} role="group" aria-label={label}>
              <Checkbox label={label} checked={ticked.has(id)} onChange={() => toggle(id)} />
              {ticked.has(id) ? <div className={classes["editor"]}>{editor}</div> : null}
            </div>
          ))}
        </div>
        {update.error === null ? null : <FormError error={update.error} />}
        <div className={classes["footer"]} data-foot>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit" disabled={ticked.size === 0} loading={update.isPending}>
            {t("Update")}
          </Button>
        </div>
      </form>
    </FormDialog>
  );
}
