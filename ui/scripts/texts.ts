// Finds every text of the pages that passes through `t` and `plural`, and what people see without passing through
// them. Run by src/lang/texts.test.ts, and by `npm run texts` (see docs/adding.md).

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ESTree, parseSync } from "vite";
import type { Catalogue } from "../src/lib/i18n";

export interface Found {
  /** by English text: the files that say it, from src */
  readonly texts: ReadonlyMap<string, readonly string[]>;
  /** by the English text for many */
  readonly plurals: ReadonlyMap<
    string,
    { readonly one: string; readonly files: readonly string[] }
  >;
  /** what cannot be translated as it is written, with its place */
  readonly faults: readonly string[];
}

type Node = { readonly type: string; readonly start: number; readonly end: number };

interface Scan {
  readonly file: string;
  readonly source: string;
  readonly texts: Map<string, string[]>;
  readonly plurals: Map<string, { one: string; files: string[] }>;
  readonly faults: string[];
}

// names of programs and keys, the same in all languages
const NAMES = new Set(["Saker", "Ctrl K"]);
const CODE = new Set(["code", "kbd", "pre"]);
const SEEN_PROPS = new Set(
  "label title hint description message detail header legend placeholder empty none".split(" "),
);
const SEEN_ATTRIBUTES = new Set([...SEEN_PROPS, "aria-label", "alt", "submitText", "reason"]);
/** functions whose first argument people read */
const SEEN_CALLS = new Set(["bad", "notifyDone", "notifyFailed"]);

/** Every text under a folder of sources. */
export function findTexts(src: string): Found {
  const texts = new Map<string, string[]>();
  const plurals = new Map<string, { one: string; files: string[] }>();
  const faults: string[] = [];
  const files = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((it) => /\.tsx?$/.test(it) && !/\.test\.tsx?$|generated\/|^lang\//.test(it))
    .filter((it) => it !== "lib/i18n.ts" && it !== "api/testing.ts" && it !== "ui/test-router.tsx")
    .sort();
  for (const file of files) {
    const source = readFileSync(`${src}/${file}`, "utf8");
    const scan: Scan = { file, source, texts, plurals, faults };
    // most files without the words are data and types: parsing is what takes the time
    walk(parseSync(file, source).program as unknown as Node, undefined, scan);
  }
  return { texts, plurals, faults };
}

/**
 * Texts that are constants of what a module imports, as the module itself is evaluated: the entry runs before the
 * catalogue is there.
 */
export function constantTexts(src: string, entry: string): readonly string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  const visitFile = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    const source = readFileSync(`${src}/${file}`, "utf8");
    const { body } = parseSync(file, source).program;
    for (const node of body) {
      if (node.type === "ImportDeclaration" && node.importKind !== "type") {
        const next = resolved(src, file, node.source.value);
        if (next !== undefined) visitFile(next);
      }
      if (saysAtOnce(node as unknown as Node)) found.push(file);
    }
  };
  visitFile(entry);
  return [...new Set(found)];
}

function resolved(src: string, from: string, name: string): string | undefined {
  if (!name.startsWith("@/") && !name.startsWith(".")) return undefined;
  const path = name.startsWith("@/") ? name.slice(2) : join(dirname(from), name);
  return [path, `${path}.ts`, `${path}.tsx`].find(
    (it) => /\.tsx?$/.test(it) && existsSync(`${src}/${it}`),
  );
}

function saysAtOnce(node: Node): boolean {
  if (/Function|MethodDefinition|^TS/.test(node.type)) return false;
  const call = node as unknown as ESTree.Node;
  if (call.type === "CallExpression" && call.callee.type === "Identifier") {
    if (call.callee.name === "t" || call.callee.name === "plural") return true;
  }
  return Object.values(node).some((value) =>
    (Array.isArray(value) ? value : [value]).some((child) => isNode(child) && saysAtOnce(child)),
  );
}

function walk(node: Node, inside: string | undefined, scan: Scan): void {
  visit(node, inside, scan);
  const within = node.type === "JSXElement" ? elementName(node) : inside;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) walk(child, within, scan);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function elementName(node: Node): string {
  const { name } = (node as unknown as ESTree.JSXElement).openingElement;
  return name.type === "JSXIdentifier" ? name.name : "";
}

function visit(raw: Node, inside: string | undefined, scan: Scan): void {
  const node = raw as unknown as ESTree.Node;
  switch (node.type) {
    case "CallExpression":
      visitCall(node, scan);
      break;
    case "JSXText":
      if (!CODE.has(inside ?? "") && isWord(node.value)) fault(node, node.value, scan);
      break;
    case "JSXElement":
    case "JSXFragment":
      if (CODE.has(node.type === "JSXElement" ? elementName(raw) : "")) break;
      for (const child of node.children) {
        if (child.type === "JSXExpressionContainer") seen(child.expression, isWord, scan);
      }
      break;
    case "JSXAttribute":
      if (node.name.type === "JSXIdentifier" && SEEN_ATTRIBUTES.has(node.name.name)) {
        const value =
          node.value?.type === "JSXExpressionContainer" ? node.value.expression : node.value;
        seen(value, node.name.name === "placeholder" ? isExample : isWord, scan);
      }
      break;
    case "Property":
      if (node.key.type === "Identifier" && SEEN_PROPS.has(node.key.name)) {
        seen(node.value, isSentence, scan);
      }
      break;
    default:
  }
}

function visitCall(node: ESTree.CallExpression, scan: Scan): void {
  if (node.callee.type !== "Identifier") return;
  const [first, one, many] = node.arguments;
  if (node.callee.name === "t") {
    for (const text of literals(first, scan)) noted(scan.texts, text, scan.file);
  } else if (node.callee.name === "plural") {
    const [single] = literals(one, scan);
    const [several] = literals(many, scan);
    if (single === undefined || several === undefined) return;
    const known = scan.plurals.get(several);
    if (known === undefined) scan.plurals.set(several, { one: single, files: [scan.file] });
    else if (known.one === single) known.files.push(scan.file);
    else scan.faults.push(`${place(node, scan)}: "${several}" is many of "${known.one}", too`);
  } else if (SEEN_CALLS.has(node.callee.name)) {
    seen(first, isWord, scan);
  }
}

function noted(texts: Map<string, string[]>, text: string, file: string): void {
  const files = texts.get(text) ?? [];
  if (!files.includes(file)) files.push(file);
  texts.set(text, files);
}

/** The texts of an argument: a literal, or a choice of literals. */
function literals(raw: ESTree.Node | undefined, scan: Scan): string[] {
  const node = raw;
  if (node?.type === "Literal" && typeof node.value === "string") return [node.value];
  if (node?.type === "ConditionalExpression") {
    return [...literals(node.consequent, scan), ...literals(node.alternate, scan)];
  }
  if (node !== undefined) {
    scan.faults.push(`${place(node, scan)}: not a literal: ${sourceOf(node, scan)}`);
  }
  return [];
}

/** Faults of what people see as it is written. */
function seen(
  node: ESTree.Node | null | undefined,
  isText: (text: string) => boolean,
  scan: Scan,
): void {
  if (node === null || node === undefined) return;
  if (node.type === "ConditionalExpression") {
    seen(node.consequent, isText, scan);
    seen(node.alternate, isText, scan);
  } else if (node.type === "LogicalExpression") {
    seen(node.right, isText, scan);
  } else if (node.type === "Literal" && typeof node.value === "string") {
    if (isText(node.value)) fault(node, node.value, scan);
  } else if (node.type === "TemplateLiteral") {
    if (node.quasis.some((it) => isSentence(it.value.raw))) {
      fault(node, sourceOf(node, scan), scan);
    }
  }
}

/** "Hosts", "1 host", not "URL", "kB" or "{#MACRO}". */
function isWord(text: string): boolean {
  return !NAMES.has(text.trim()) && /(^|\s)[A-Za-z][a-z]{2,}($|[\s.,:;!?…])/.test(text.trim());
}

/** What begins as a sentence or has two plain words in a row. */
function isSentence(text: string): boolean {
  return !NAMES.has(text) && /^[A-Z][a-z]{2,}($|[\s.,:;!?…])|(^|\s)[a-z]{2,} [a-z]{2,}/.test(text);
}

/** A placeholder is often code, which stays as it is. */
function isExample(text: string): boolean {
  return isSentence(text) && !/[(){}$=<>[\]\\]/.test(text);
}

function fault(node: { readonly start: number }, text: string, scan: Scan): void {
  scan.faults.push(`${place(node, scan)}: does not pass through t: ${text.trim()}`);
}

function place({ start }: { readonly start: number }, scan: Scan): string {
  return `${scan.file}:${scan.source.slice(0, start).split("\n").length}`;
}

function sourceOf({ start, end }: ESTree.Node, scan: Scan): string {
  return scan.source.slice(start, end);
}

export interface Difference {
  /** English texts that the catalogue lacks */
  readonly missing: readonly string[];
  readonly missingPlurals: readonly string[];
  /** what the pages do not say (any more) */
  readonly superfluous: readonly string[];
  /** entries whose `{placeholders}` or number of forms are not those of the English text */
  readonly faulty: readonly string[];
}

export function compare({ texts, plurals }: Found, catalogue: Catalogue): Difference {
  const faulty: string[] = [];
  for (const [text, translated] of Object.entries(catalogue.texts)) {
    if (translated === "" || holes(text) !== holes(translated)) faulty.push(text);
  }
  for (const [many, forms] of Object.entries(catalogue.plurals)) {
    const isWhole = forms.length === catalogue.forms.length;
    if (!isWhole || forms.some((it) => holes(it) !== holes(many))) faulty.push(many);
  }
  return {
    missing: [...texts.keys()].filter((it) => !Object.hasOwn(catalogue.texts, it)),
    missingPlurals: [...plurals.keys()].filter((it) => !Object.hasOwn(catalogue.plurals, it)),
    superfluous: [
      ...Object.keys(catalogue.texts).filter((it) => !texts.has(it)),
      ...Object.keys(catalogue.plurals).filter((it) => !plurals.has(it)),
    ],
    faulty,
  };
}

function holes(text: string): string {
  return [...new Set(text.match(/\{\w+\}/g) ?? [])].sort().join(" ");
}

/** The part of the catalogue that a text belongs to: the feature that says it, else the folder. */
export function partOf(files: readonly string[]): string {
  const parts = new Set(files.map(onePart));
  const [only = "common"] = parts;
  return parts.size === 1 ? only : "common";
}

function onePart(file: string): string {
  const [top = "", second = ""] = file.split("/");
  if (top === "features") return second;
  return top === "app" || top === "widgets" ? top : "base";
}
