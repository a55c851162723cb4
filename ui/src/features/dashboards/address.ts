/** Addresses of web pages alone; no `javascript:` and the like. */
export function safeUrl(text: string, origin: string): string | undefined {
  if (text.trim() === "") return undefined;
  try {
    const url = new URL(text, origin);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
  } catch {
    return undefined;
  }
}
