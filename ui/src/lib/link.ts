// Which addresses may be links: browsers run some of what users, and macros, can write into one.

// what a link may do: open a page, write a message, call; never run something in this page
const SCHEMES = new Set(["http:", "https:", "ftp:", "mailto:", "tel:", "ssh:"]);
const OF_FRAMES = new Set(["http:", "https:"]);

function parsed(text: string, base: string): URL | undefined {
  if (text.trim() === "") return undefined;
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** The address if it leads somewhere harmless. Those without a scheme lead into these pages. */
export function safeUrl(text: string, base: string = window.location.href): string | undefined {
  const url = parsed(text, base);
  return url !== undefined && SCHEMES.has(url.protocol) ? text : undefined;
}

/** The whole address of a web page, for a frame. */
export function frameUrl(text: string, origin: string): string | undefined {
  const url = parsed(text, origin);
  return url !== undefined && OF_FRAMES.has(url.protocol) ? url.href : undefined;
}
