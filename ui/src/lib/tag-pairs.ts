// Tags in addresses: `site:fra,os`, parts of a tag percent-encoded, so that commas and colons may be in them.

import type { TagPair } from "./columns";

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function readTags(text: string): TagPair[] {
  return text
    .split(",")
    .filter(Boolean)
    .map((part): TagPair => {
      const colon = part.indexOf(":");
      return colon < 0
        ? [decoded(part), ""]
        : [decoded(part.slice(0, colon)), decoded(part.slice(colon + 1))];
    });
}

export function writeTags(tags: readonly TagPair[]): string {
  return tags
    .map(([tag, value]) =>
      value === ""
        ? encodeURIComponent(tag)
        : `${encodeURIComponent(tag)}:${encodeURIComponent(value)}`,
    )
    .join(",");
}
