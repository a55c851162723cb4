// What this browser keeps of a user's: small JSON values in its storage, which may be full, forbidden or edited.

export function readKept<T>(key: string, read: (value: unknown) => T): T {
  try {
    return read(JSON.parse(localStorage.getItem(key) ?? "null"));
  } catch {
    return read(null);
  }
}

/** False: this browser keeps nothing. */
export function writeKept(key: string, value: unknown): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
