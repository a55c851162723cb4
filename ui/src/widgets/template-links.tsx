// Templates that a host or template is linked to: linked ones may be unlinked (what they brought stays) or
// unlinked and cleared (it goes); new ones are picked.

import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { TemplateRef } from "@/api/templates";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { TemplatePicker } from "./pickers";
import classes from "./template-links.module.css";

export interface TemplateLinks {
  readonly linked: readonly TemplateRef[];
  readonly unlink: readonly Id[];
  readonly clear: readonly Id[];
  readonly added: readonly Id[];
}

export const noLinks: TemplateLinks = { linked: [], unlink: [], clear: [], added: [] };

/** The templates that remain or come, as the API wants them. */
export function remainingTemplates(links: TemplateLinks): Id[] {
  const gone = new Set([...links.unlink, ...links.clear]);
  const kept = links.linked.map((it) => it.templateid).filter((id) => !gone.has(id));
  return [...new Set([...kept, ...links.added])];
}

export interface TemplateLinksEditorProps {
  readonly links: TemplateLinks;
  readonly onChange: (links: TemplateLinks) => void;
  readonly self?: Id;
}

export function TemplateLinksEditor({ links, onChange, self }: TemplateLinksEditorProps) {
  const mark = (id: Id, mark: "unlink" | "clear" | undefined) =>
    onChange({
      ...links,
      unlink: [...links.unlink.filter((it) => it !== id), ...(mark === "unlink" ? [id] : [])],
      clear: [...links.clear.filter((it) => it !== id), ...(mark === "clear" ? [id] : [])],
    });
  const linkedIds = links.linked.map((it) => it.templateid);
  return (
    <div className={classes["links"]}>
      {links.linked.map((template) => (
        <LinkedTemplate
          key={template.templateid}
          template={template}
          mark={
            links.clear.includes(template.templateid)
              ? "clear"
              : links.unlink.includes(template.templateid)
                ? "unlink"
                : undefined
          }
          onMark={(next) => mark(template.templateid, next)}
        />
      ))}
      <TemplatePicker
        label={t("Link templates")}
        value={links.added}
        onChange={(added) => onChange({ ...links, added })}
        without={self === undefined ? linkedIds : [...linkedIds, self]}
      />
    </div>
  );
}

interface LinkedTemplateProps {
  readonly template: TemplateRef;
  readonly mark: "unlink" | "clear" | undefined;
  readonly onMark: (mark: "unlink" | "clear" | undefined) => void;
}

function LinkedTemplate({ template, mark, onMark }: LinkedTemplateProps) {
  const { templateid, name } = template;
  return (
    <div className={classes["line"]} data-mark={mark}>
      <Link to="/templates/$templateid" params={{ templateid }}>
        {name}
      </Link>
      {mark === undefined ? (
        <>
          <Button variant="subtle" size="compact-xs" onClick={() => onMark("unlink")}>
            {t("Unlink")}
          </Button>
          <Button
            variant="subtle"
            color="red"
            c="var(--bad-text)"
            size="compact-xs"
            onClick={() => onMark("clear")}
          >
            {t("Unlink and clear")}
          </Button>
        </>
      ) : (
        <>
          <span className="dim">
            {mark === "clear"
              ? t("deleted with its items, triggers and history when saved")
              : t("unlinked when saved; its items and triggers remain on the host")}
          </span>
          <Button variant="subtle" size="compact-xs" onClick={() => onMark(undefined)}>
            {t("Keep")}
          </Button>
        </>
      )}
    </div>
  );
}
