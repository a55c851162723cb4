// The IPMI login of a host while it is edited, and the fields that save it. The password is never returned:
// an empty field keeps it.

import type { HostCreate } from "@/api/generated/host";
import type { Host } from "@/api/types";
import { t } from "@/lib/i18n";

export interface IpmiDraft {
  /** -1 default, 6 RMCP+; others are sessions of IPMI 1.5: 0 none, 1 MD2, 2 MD5, 4 straight, 5 OEM */
  readonly authtype: string;
  readonly privilege: string;
  readonly username: string;
  readonly password: string;
  /** of a host that there is already: it may have a password */
  readonly isSaved: boolean;
}

export const NEW_IPMI: IpmiDraft = {
  authtype: "-1",
  privilege: "2",
  username: "",
  password: "",
  isSaved: false,
};

export function draftOfIpmi(host: Host): IpmiDraft {
  return {
    authtype: host.ipmi_authtype,
    privilege: host.ipmi_privilege,
    username: host.ipmi_username,
    password: "",
    isSaved: true,
  };
}

type Fields = Pick<
  HostCreate,
  "ipmi_authtype" | "ipmi_privilege" | "ipmi_username" | "ipmi_password"
>;

export function toIpmi(draft: IpmiDraft): Fields {
  return {
    ipmi_authtype: draft.authtype,
    ipmi_privilege: draft.privilege,
    ipmi_username: draft.username.trim(),
    ...(draft.password === "" ? {} : { ipmi_password: draft.password }),
  };
}

/** What is wrong. */
export function ipmiError({ authtype, username, password }: IpmiDraft): string | undefined {
  if (authtype === "1" || authtype === "5") return t("MD2 and OEM are not supported");
  if (username.length > 16) return t("a user name of IPMI has 16 characters at most");
  if (password.length > 20) return t("a password of IPMI has 20 characters at most");
  const is20 = authtype === "-1" || authtype === "6";
  return password.length > 16 && !is20
    ? t("a password of IPMI 1.5 has 16 characters at most")
    : undefined;
}
