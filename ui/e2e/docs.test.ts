// The guide and the reference of the API inside of the application, and the document that the reference is read from:
// it keeps to OpenRPC's own schema, and its examples to the schemas that it gives for them.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { Ajv } from "ajv";
import type { Page } from "playwright-core";
import { type Browser, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

// neither says what types it has
const load = createRequire(import.meta.url);
const openrpc: { openrpcDocument: object } = load("@open-rpc/meta-schema");
const jsonSchema: { default: object } = load("@json-schema-tools/meta-schema");

let target: Target;
let browser: Browser;
let page: Page;

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

test("the guide opens about the page that is open, is searched, and leads on", async () => {
  await page.goto(`${target.url}/queue`);
  await page.getByRole("navigation", { name: "Main" }).getByLabel("User guide").click();
  await page.getByRole("heading", { level: 1, name: "User guide" }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/docs/queue");
  const picture = page.getByRole("article").getByRole("img").first();
  await picture.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => {
    const shown = document.querySelector<HTMLImageElement>("article img");
    return shown?.complete === true && shown.naturalWidth > 100;
  });

  await page.keyboard.press("/");
  await page.keyboard.type("quiet hours");
  const pages = page.getByRole("navigation", { name: "Pages of the guide" });
  await pages.getByRole("link", { name: "Quiet hours", exact: true }).first().click();
  await page.getByRole("article").getByRole("heading", { name: "Quiet hours" }).first().waitFor();
  assert.match(page.url(), /\/docs\/digests#/);
  await shots(page, "docs-guide", { narrow: true, axe: true });

  await page.goto(`${target.url}/docs/first-steps`);
  const loads: string[] = [];
  page.on("framenavigated", (frame) => loads.push(frame.url()));
  await page.getByRole("article").getByRole("link", { name: "the same arguments" }).click();
  await page.waitForURL("**/docs/tools");
  await page.getByRole("article").getByRole("heading").first().waitFor();

  await page.getByRole("link", { name: "User guide" }).last().click();
  await page.getByRole("article", { name: "Contents" }).waitFor();
  await shots(page, "docs-contents", { axe: true });
  assert.deepEqual(browser.complaints, []);
});

test("the reference is found in the palette, searched by keys, and shows examples", async () => {
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("textbox").fill("API reference");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "API reference" }).waitFor();
  await page.getByText("curl -s").waitFor();
  await shots(page, "docs-api", { axe: true });

  await page.keyboard.press("/");
  await page.keyboard.type("massadd");
  const list = page.getByRole("navigation", { name: "Objects and methods" });
  await list.getByRole("link", { name: "host.massadd" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/docs/api/host#host.massadd");
  const method = page.getByRole("region", { name: "host.massadd" });
  await method.getByText('"method": "host.massadd"').waitFor();
  await method.getByText('"hostids"').first().waitFor();
  await method.getByText("Parameters").click();
  await method.getByRole("cell", { name: "groups.groupid" }).waitFor();
  await shots(page, "docs-api-host", { narrow: true, axe: true });

  // its address can be sent to others
  await page.reload();
  await page.getByRole("region", { name: "host.massadd" }).waitFor();
  assert.deepEqual(browser.complaints, []);
});

interface Method {
  readonly name: string;
  readonly result: { readonly schema: object };
  readonly "x-params": object;
  readonly examples?: readonly {
    readonly name: string;
    readonly "x-params": unknown;
    readonly result?: { readonly value: unknown };
  }[];
}

interface Document {
  readonly methods: readonly Method[];
  readonly components: object;
}

async function fetchDocument(): Promise<Document> {
  // without a session
  const answer = await fetch(`${target.url}/docs/api/openrpc.json`);
  assert.equal(answer.status, 200);
  return (await answer.json()) as Document;
}

test("the document keeps to OpenRPC's meta schema", async () => {
  const document = await fetchDocument();
  const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false });
  ajv.addSchema(jsonSchema.default, "https://meta.json-schema.tools");
  const isGood = ajv.compile(openrpc.openrpcDocument);
  assert.ok(isGood(document), JSON.stringify(isGood.errors?.slice(0, 5), null, 2));
  assert.ok(!isGood({ ...document, methods: [{ name: "a" }] }), "a wrong one is refused");
});

test("examples keep to the schemas of their methods", async () => {
  const document = await fetchDocument();
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: "api", components: document.components });
  // references are within the document
  const compiled = (schema: object) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components')));
  const wrong: string[] = [];
  let checked = 0;
  for (const { name, result, examples = [], ...method } of document.methods) {
    const [takes, gives] = [compiled(method["x-params"]), compiled(result.schema)];
    for (const example of examples) {
      const isError = example.result === undefined;
      if (!isError && !takes(example["x-params"])) {
        wrong.push(`${name}, params: ${ajv.errorsText(takes.errors)}`);
      }
      if (!isError && !gives(example.result?.value)) {
        wrong.push(`${name}, result: ${ajv.errorsText(gives.errors)}`);
      }
      checked += 1;
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(checked > 200, `${checked} examples`);
});
