// Files that the browser saves.

export function saveBlob(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // the download holds the data itself after the click
  setTimeout(() => URL.revokeObjectURL(link.href));
}

/** A text as the name of a file: what systems refuse in one becomes a dash. */
export function fileName(text: string, extension: string): string {
  const name = text
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[-.]+|[-.]+$/g, "")
    .slice(0, 80);
  return `${name === "" ? "saker" : name}.${extension}`;
}
