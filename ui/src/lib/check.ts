// The answer of a syntax check made while one types.

export type Check =
  | { readonly ok: true }
  | { readonly ok: false; readonly message: string; readonly position: number };

export const OK: Check = { ok: true };

export function bad(message: string, position: number): Check {
  return { ok: false, message, position };
}
