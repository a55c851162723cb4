// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { Output } from "./get";

/** How users log in. There is one, of which get answers the fields themselves. */
export interface Authentication {
  /** 0 own passwords; 1 LDAP, which needs a user directory. Default: 0. */
  readonly authentication_type: string;
  /** Always 0: LDAP is not supported yet. Default: 0. */
  readonly ldap_auth_enabled: string;
  /** Kept; for LDAP. Default: 1. */
  readonly ldap_case_sensitive: string;
  /** Always 0: there are no user directories yet. Default: 0. */
  readonly ldap_userdirectoryid: string;
  /** Always 0: SAML is not supported yet. Default: 0. */
  readonly saml_auth_enabled: string;
  /** Kept; for SAML. Default: 1. */
  readonly saml_case_sensitive: string;
  /** Characters that a new password has at least. Default: 8. */
  readonly passwd_min_length: string;
  /** Sum of what a new password has to be: 1 with letters of both cases, 2 with a digit, 4 with a special character, 8 neither common nor with the user's names in it. Default: 8. */
  readonly passwd_check_rules: string;
  /** Kept; a disabled group for users that LDAP and SAML no longer have. Default: 0. */
  readonly disabled_usrgrpid: string;
  /** Kept; for LDAP and SAML. Default: 1h. */
  readonly jit_provision_interval: string;
  /** Kept; for SAML. Default: 0. */
  readonly saml_jit_status: string;
  /** Kept; for LDAP. Default: 0. */
  readonly ldap_jit_status: string;
  /** Always 0: a second factor is not supported yet. Default: 0. */
  readonly mfa_status: string;
  /** Always 0: a second factor is not supported yet. Default: 0. */
  readonly mfaid: string;
  /** Always 0: the web server's login is not supported yet. Default: 0. */
  readonly http_auth_enabled: string;
  /** Kept; there is one form. Default: 0. */
  readonly http_login_form: string;
  /** Kept; for the web server's login. */
  readonly http_strip_domains: string;
  /** Kept; for the web server's login. Default: 1. */
  readonly http_case_sensitive: string;
}

/** Parameters of `authentication.get`. */
export interface AuthenticationGet {
  readonly output?: Output<keyof Authentication> | undefined;
}

/** Parameters of `authentication.update`: omitted fields keep their values. */
export interface AuthenticationUpdate {
  /** 0 own passwords; 1 LDAP, which needs a user directory. Default: 0. */
  readonly authentication_type?: string | number | undefined;
  /** Always 0: LDAP is not supported yet. Default: 0. */
  readonly ldap_auth_enabled?: string | number | undefined;
  /** Kept; for LDAP. Default: 1. */
  readonly ldap_case_sensitive?: string | number | undefined;
  /** Always 0: there are no user directories yet. Default: 0. */
  readonly ldap_userdirectoryid?: string | number | undefined;
  /** Always 0: SAML is not supported yet. Default: 0. */
  readonly saml_auth_enabled?: string | number | undefined;
  /** Kept; for SAML. Default: 1. */
  readonly saml_case_sensitive?: string | number | undefined;
  /** Characters that a new password has at least. Default: 8. */
  readonly passwd_min_length?: string | number | undefined;
  /** Sum of what a new password has to be: 1 with letters of both cases, 2 with a digit, 4 with a special character, 8 neither common nor with the user's names in it. Default: 8. */
  readonly passwd_check_rules?: string | number | undefined;
  /** Kept; a disabled group for users that LDAP and SAML no longer have. Default: 0. */
  readonly disabled_usrgrpid?: string | number | undefined;
  /** Kept; for LDAP and SAML. Default: 1h. */
  readonly jit_provision_interval?: string | undefined;
  /** Kept; for SAML. Default: 0. */
  readonly saml_jit_status?: string | number | undefined;
  /** Kept; for LDAP. Default: 0. */
  readonly ldap_jit_status?: string | number | undefined;
  /** Always 0: a second factor is not supported yet. Default: 0. */
  readonly mfa_status?: string | number | undefined;
  /** Always 0: a second factor is not supported yet. Default: 0. */
  readonly mfaid?: string | number | undefined;
  /** Always 0: the web server's login is not supported yet. Default: 0. */
  readonly http_auth_enabled?: string | number | undefined;
  /** Kept; there is one form. Default: 0. */
  readonly http_login_form?: string | number | undefined;
  /** Kept; for the web server's login. */
  readonly http_strip_domains?: string | undefined;
  /** Kept; for the web server's login. Default: 1. */
  readonly http_case_sensitive?: string | number | undefined;
}

/** What forms and readers of answers have to know of it. */
export const AUTHENTICATION = {
  object: "authentication",
  fields: {
    authentication_type: { type: "code", codes: ["0", "1"], default: "0" },
    ldap_auth_enabled: { type: "code", codes: ["0", "1"], default: "0" },
    ldap_case_sensitive: { type: "code", codes: ["0", "1"], default: "1" },
    ldap_userdirectoryid: { type: "id", default: "0" },
    saml_auth_enabled: { type: "code", codes: ["0", "1"], default: "0" },
    saml_case_sensitive: { type: "code", codes: ["0", "1"], default: "1" },
    passwd_min_length: { type: "int", min: 1, max: 70, default: "8" },
    passwd_check_rules: { type: "int", min: 0, max: 15, default: "8" },
    disabled_usrgrpid: { type: "id", default: "0" },
    jit_provision_interval: {
      type: "text",
      max: 32,
      default: "1h",
      form: "long-period",
      within: [3600, 788400000],
    },
    saml_jit_status: { type: "code", codes: ["0", "1"], default: "0" },
    ldap_jit_status: { type: "code", codes: ["0", "1"], default: "0" },
    mfa_status: { type: "code", codes: ["0", "1"], default: "0" },
    mfaid: { type: "id", default: "0" },
    http_auth_enabled: { type: "code", codes: ["0", "1"], default: "0" },
    http_login_form: { type: "code", codes: ["0", "1"], default: "0" },
    http_strip_domains: { type: "text", max: 2048 },
    http_case_sensitive: { type: "code", codes: ["0", "1"], default: "1" },
  },
} as const;
