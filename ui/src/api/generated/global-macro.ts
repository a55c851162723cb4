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

/** Parameters of `usermacro.updateglobal`: what is left out stays. */
export type GlobalMacroUpdate = Partial<GlobalMacroCreate> & { readonly globalmacroid: string };
