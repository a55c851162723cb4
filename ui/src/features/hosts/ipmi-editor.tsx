import { PasswordInput, Select, TextInput } from "@mantine/core";
import { t } from "@/lib/i18n";
import { Row } from "@/ui/form";
import { type IpmiDraft, ipmiError } from "./ipmi-draft";

export interface IpmiEditorProps {
  readonly draft: IpmiDraft;
  readonly onChange: (change: Partial<IpmiDraft>) => void;
  readonly showErrors: boolean;
}

const ALGORITHMS = [
  { value: "-1", label: t("Default") },
  { value: "0", label: t("None") },
  { value: "1", label: "MD2" },
  { value: "2", label: "MD5" },
  { value: "4", label: t("Straight") },
  { value: "5", label: "OEM" },
  { value: "6", label: "RMCP+" },
];

const PRIVILEGES = [
  { value: "1", label: t("Callback") },
  { value: "2", label: t("User") },
  { value: "3", label: t("Operator") },
  { value: "4", label: t("Admin") },
  { value: "5", label: "OEM" },
];

/** How all IPMI items of a host log in. */
export function IpmiEditor({ draft, onChange, showErrors }: IpmiEditorProps) {
  const error = showErrors ? ipmiError(draft) : undefined;
  return (
    <>
      <Row>
        <Select
          label={t("Authentication algorithm")}
          data={ALGORITHMS.map(({ value, label }) => ({ value, label }))}
          value={draft.authtype}
          onChange={(authtype) => onChange({ authtype: authtype ?? "-1" })}
        />
        <Select
          label={t("Privilege level")}
          data={PRIVILEGES.map(({ value, label }) => ({ value, label }))}
          value={draft.privilege}
          onChange={(privilege) => onChange({ privilege: privilege ?? "2" })}
        />
        <TextInput
          label={t("IPMI user name")}
          autoComplete="off"
          value={draft.username}
          onChange={(event) => onChange({ username: event.currentTarget.value })}
        />
        <PasswordInput
          label={t("IPMI password")}
          autoComplete="new-password"
          placeholder={draft.isSaved ? t("as it is") : ""}
          value={draft.password}
          onChange={(event) => onChange({ password: event.currentTarget.value })}
        />
      </Row>
      {error === undefined ? null : <span className="bad">{error}</span>}
    </>
  );
}
