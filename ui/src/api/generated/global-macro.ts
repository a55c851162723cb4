// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

/** A user macro for all hosts. */
export interface GlobalMacro {
  /** Id. */
  readonly globalmacroid: string;
  /** Macro as written, with {$ and }. */
  readonly macro: string;
  /** 0 text, 1 secret, 2 vault. Default: 0. */
  readonly type: string;
  /** Value. */
  readonly value: string;
  /** Description. */
  readonly description: string;
}

/** Parameters of `usermacro.createglobal`. */
export interface GlobalMacroCreate {
  /** Macro as written, with {$ and }. */
  readonly macro: string;
  /** 0 text, 1 secret, 2 vault. Default: 0. */
  readonly type?: string | number | undefined;
  /** Value. */
  readonly value: string;
  /** Description. */
  readonly description?: string | undefined;
}

/** Parameters of `usermacro.updateglobal`: omitted fields keep their values. */
export type GlobalMacroUpdate = Partial<GlobalMacroCreate> & { readonly globalmacroid: string };

/** What forms and readers of answers have to know of it. */
export const GLOBAL_MACRO = {
  object: "usermacro",
  id: "globalmacroid",
  ids: "globalmacroids",
  fields: {
    globalmacroid: { type: "id", readOnly: true },
    macro: { type: "text", max: 255, required: true, form: "user-macro" },
    type: {
      type: "code",
      codes: ["0", "1", "2"],
      default: "0",
      names: { TEXT: "0", SECRET: "1", VAULT: "2" },
    },
    value: { type: "text", max: 2048, required: true },
    description: { type: "text", max: 65535 },
  },
} as const;
