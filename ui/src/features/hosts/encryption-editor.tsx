import { Button, Checkbox, PasswordInput, SegmentedControl, TextInput } from "@mantine/core";
import { t } from "@/lib/i18n";
import { Row } from "@/ui/form";
import {
  CERTIFICATE,
  type EncryptionDraft,
  encryptionError,
  PLAIN,
  PSK,
  uses,
} from "./encryption-draft";
import classes from "./hosts.module.css";

export interface EncryptionEditorProps {
  readonly draft: EncryptionDraft;
  readonly onChange: (change: Partial<EncryptionDraft>) => void;
  readonly showErrors: boolean;
}

const WAYS = [
  { code: PLAIN, label: t("No encryption") },
  { code: PSK, label: "PSK" },
  { code: CERTIFICATE, label: t("Certificate") },
] as const;

export function EncryptionEditor({ draft, onChange, showErrors }: EncryptionEditorProps) {
  const error = showErrors ? encryptionError(draft) : undefined;
  return (
    <div className={classes["encryption"]}>
      <div className={classes["ways"]}>
        <span>{t("Connections to the host")}</span>
        <SegmentedControl
          aria-label={t("Connections to the host")}
          value={String(draft.connect)}
          onChange={(value) => onChange({ connect: Number(value) })}
          data={WAYS.map(({ code, label }) => ({ value: String(code), label }))}
        />
        <span>{t("Connections from the host")}</span>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box */}
        <div role="group" aria-label={t("Connections from the host")} className={classes["accept"]}>
          {WAYS.map(({ code, label }) => (
            <Checkbox
              key={code}
              label={label}
              checked={(draft.accept & code) !== 0}
              onChange={() => onChange({ accept: draft.accept ^ code })}
            />
          ))}
        </div>
      </div>
      {uses(draft, PSK) ? <KeyEditor draft={draft} onChange={onChange} /> : null}
      {uses(draft, CERTIFICATE) ? (
        <Row>
          <TextInput
            label={t("Issuer")}
            placeholder={t("any CA trusted by the server")}
            value={draft.issuer}
            onChange={(event) => onChange({ issuer: event.currentTarget.value })}
          />
          <TextInput
            label={t("Subject")}
            placeholder="CN=host,O=example"
            value={draft.subject}
            onChange={(event) => onChange({ subject: event.currentTarget.value })}
          />
        </Row>
      ) : null}
      {error === undefined ? null : <span className="bad">{error}</span>}
    </div>
  );
}

function KeyEditor({ draft, onChange }: Omit<EncryptionEditorProps, "showErrors">) {
  const kept = draft.hasKey ? t("set; leave empty to keep it") : undefined;
  return (
    <Row>
      <TextInput
        label={t("PSK identity")}
        placeholder={kept}
        autoComplete="off"
        value={draft.identity}
        onChange={(event) => onChange({ identity: event.currentTarget.value })}
      />
      <PasswordInput
        label={t("PSK")}
        placeholder={kept ?? t("at least 32 hexadecimal digits")}
        autoComplete="off"
        value={draft.psk}
        onChange={(event) => onChange({ psk: event.currentTarget.value })}
      />
      <Button
        variant="default"
        mt={22}
        onClick={() => onChange({ psk: newKey() })}
        style={{ flex: "none" }}
      >
        {t("Generate")}
      </Button>
    </Row>
  );
}

/** 256 bits. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return Array.from(bytes, (it) => it.toString(16).padStart(2, "0")).join("");
}
