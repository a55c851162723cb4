// Small JSON values of a user in the browser's local storage, which may be full, disabled or edited by hand.

export function readStored<T>(key: string, read: (value: unknown) => T): T {
  try {
    return read(JSON.parse(localStorage.getItem(key) ?? "null"));
  } catch {
    return read(null);
  }
}

/** False: the browser did not store it. */
export function writeStored(key: string, value: unknown): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
