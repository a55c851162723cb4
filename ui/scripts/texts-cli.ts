// `npm run texts`: what the catalogues of src/lang lack and what they have too much.
//   npm run texts                         lists all, and what does not pass through `t`
//   npm run texts -- ru --missing         what Russian lacks, as JSON: texts and plurals to be filled in
//   npm run texts -- ru --fill FILE       takes such a JSON with its translations into the catalogue's files
//   npm run texts -- ru --remove          takes out what no page says any more

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Catalogue } from "../src/lib/i18n";
import { compare, findTexts, partOf } from "./texts";

const SRC = fileURLToPath(new URL("../src", import.meta.url));

interface Part {
  texts: Record<string, string>;
  plurals: Record<string, readonly string[]>;
}

interface Filled {
  readonly texts?: Record<string, string>;
  readonly plurals?: Record<string, readonly string[]>;
}

const found = findTexts(SRC);
const [tag = "", action = "", file = ""] = process.argv.slice(2);
if (tag === "") await listAll();
else if (action === "--missing") console.log(JSON.stringify(await missing(tag), null, 1));
else if (action === "--fill") await fill(tag, JSON.parse(readFileSync(file, "utf8")));
else if (action === "--remove") await remove(tag);
else throw new Error(`unknown: ${action}`);

async function listAll(): Promise<void> {
  for (const fault of found.faults) console.log(fault);
  for (const language of readdirSync(`${SRC}/lang`, { withFileTypes: true })) {
    if (!language.isDirectory()) continue;
    const difference = compare(found, await catalogueOf(language.name));
    for (const [kind, texts] of Object.entries(difference)) {
      for (const text of texts) console.log(`${language.name} ${kind}: ${text}`);
    }
  }
}

async function catalogueOf(language: string): Promise<Catalogue> {
  const { FORMS } = await import(`../src/lang/${language}/forms.ts`);
  const parts = [...(await partsOf(language)).values()];
  return {
    tag: language,
    forms: FORMS,
    texts: Object.assign({}, ...parts.map(({ texts }) => texts)),
    plurals: Object.assign({}, ...parts.map(({ plurals }) => plurals)),
  };
}

async function missing(language: string): Promise<Filled> {
  const difference = compare(found, await catalogueOf(language));
  return {
    texts: Object.fromEntries(difference.missing.map((it) => [it, ""])),
    plurals: Object.fromEntries(difference.missingPlurals.map((it) => [it, []])),
  };
}

async function partsOf(language: string): Promise<Map<string, Part>> {
  const parts = new Map<string, Part>();
  for (const name of readdirSync(`${SRC}/lang/${language}/parts`)) {
    const { PART } = await import(`../src/lang/${language}/parts/${name}`);
    parts.set(name.replace(/\.ts$/, ""), {
      texts: { ...PART.texts },
      plurals: { ...PART.plurals },
    });
  }
  return parts;
}

async function fill(language: string, { texts = {}, plurals = {} }: Filled): Promise<void> {
  const parts = await partsOf(language);
  const into = (files: readonly string[]) => {
    const name = partOf(files);
    const part = parts.get(name) ?? { texts: {}, plurals: {} };
    parts.set(name, part);
    return part;
  };
  for (const [text, translated] of Object.entries(texts)) {
    const files = found.texts.get(text);
    if (files !== undefined && translated !== "") into(files).texts[text] = translated;
  }
  for (const [many, forms] of Object.entries(plurals)) {
    const files = found.plurals.get(many)?.files;
    if (files !== undefined && forms.length > 0) into(files).plurals[many] = forms;
  }
  write(language, parts);
}

async function remove(language: string): Promise<void> {
  const parts = await partsOf(language);
  for (const part of parts.values()) {
    for (const text of Object.keys(part.texts)) {
      if (!found.texts.has(text)) delete part.texts[text];
    }
    for (const many of Object.keys(part.plurals)) {
      if (!found.plurals.has(many)) delete part.plurals[many];
    }
  }
  write(language, parts);
}

function write(language: string, parts: ReadonlyMap<string, Part>): void {
  const folder = `${SRC}/lang/${language}`;
  for (const [name, { texts, plurals }] of parts) {
    const part = JSON.stringify({ texts: sorted(texts), plurals: sorted(plurals) }, null, 2);
    const source = `import type { CataloguePart } from "@/lib/i18n";\n\nexport const PART: CataloguePart = ${part};\n`;
    writeFileSync(`${folder}/parts/${name}.ts`, source);
  }
  console.log(`wrote ${folder}/parts: now npm run fix`);
}

function sorted<T>(entries: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}
