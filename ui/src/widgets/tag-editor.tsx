import { ActionIcon, Button, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import type { Tag } from "@/api/types";
import { t } from "@/lib/i18n";
import { type Keyed, keyed, withAt, withoutAt } from "./keyed";
import classes from "./list-editor.module.css";

export interface TagEditorProps {
  readonly tags: readonly Keyed<Tag>[];
  readonly onChange: (tags: readonly Keyed<Tag>[]) => void;
}

export function TagEditor({ tags, onChange }: TagEditorProps) {
  return (
    <div className={classes["list"]}>
      {tags.map((tag, at) => (
        <div key={tag.key} className={classes["line"]}>
          <TextInput
            aria-label={t("Tag {n}", { n: at + 1 })}
            placeholder={t("tag")}
            value={tag.tag}
            onChange={(event) => onChange(withAt(tags, at, { tag: event.currentTarget.value }))}
          />
          <TextInput
            aria-label={t("Value of tag {n}", { n: at + 1 })}
            placeholder={t("value")}
            value={tag.value}
            onChange={(event) => onChange(withAt(tags, at, { value: event.currentTarget.value }))}
          />
          <ActionIcon
            aria-label={t("Remove tag {n}", { n: at + 1 })}
            onClick={() => onChange(withoutAt(tags, at))}
          >
            <IconX size={14} />
          </ActionIcon>
        </div>
      ))}
      <div>
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconPlus size={13} />}
          onClick={() => onChange([...tags, keyed({ tag: "", value: "" })])}
        >
          {t("Add tag")}
        </Button>
      </div>
    </div>
  );
}

/** Lines left empty are dropped at saving. */
export function cleanTags(tags: readonly Tag[]): Tag[] {
  return tags
    .filter(({ tag }) => tag.trim() !== "")
    .map(({ tag, value }) => ({ tag: tag.trim(), value }));
}
