import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const src = join(process.cwd(), "src");
const styles = join(process.cwd(), "node_modules/@mantine/core/styles");

function used(): Set<string> {
  const names = new Set<string>();
  for (const file of readdirSync(src, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".tsx")) continue;
    const text = readFileSync(join(src, file), "utf8");
    const named = /import \{([^}]+)\} from "@mantine\/core"/.exec(text)?.[1] ?? "";
    for (const name of named.split(",")) names.add(name.trim());
  }
  return names;
}

it("every component of Mantine in use has its styles", () => {
  const imported = readFileSync(join(src, "ui/styles/mantine.css"), "utf8");
  const known = new Set(readdirSync(styles));
  const missing = [...used()].filter(
    (name) =>
      known.has(`${name}.layer.css`) && !imported.includes(`/core/styles/${name}.layer.css"`),
  );
  expect(missing).toEqual([]);
});
