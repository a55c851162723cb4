// @vitest-environment happy-dom

import { expect, test } from "vitest";
import type { StartableScript } from "@/api/scripts";
import { checkInput, choicesOf, foldersOf } from "./script";

function script(given: Partial<StartableScript>): StartableScript {
  return {
    scriptid: "1",
    name: "a",
    type: "0",
    scope: "2",
    menu_path: "",
    description: "",
    confirmation: "",
    url: "",
    manualinput: "1",
    manualinput_prompt: "",
    manualinput_validator: "",
    manualinput_validator_type: "0",
    manualinput_default_value: "",
    ...given,
  };
}

test("scripts stand in their folders, those without one first", () => {
  const scripts = [
    script({ name: "b", menu_path: "/Net/Checks/" }),
    script({ name: "z" }),
    script({ name: "a", menu_path: "Net/Checks" }),
  ];
  const folders = foldersOf(scripts).map((it) => [it.folder, it.scripts.map(({ name }) => name)]);
  expect(folders).toEqual([
    ["", ["z"]],
    ["Net / Checks", ["a", "b"]],
  ]);
});

test("input is checked before the server is asked", () => {
  const typed = script({ manualinput_validator: "^[a-z]+$" });
  expect(choicesOf(typed)).toBeUndefined();
  expect(checkInput(typed, "abc").ok).toBe(true);
  expect(checkInput(typed, "a;b")).toMatchObject({ message: "this does not match ^[a-z]+$" });
  // of another dialect: the server knows it
  expect(checkInput(script({ manualinput_validator: "(?i)x" }), "y").ok).toBe(true);
  const listed = script({
    manualinput_validator: "dev, prod,dev",
    manualinput_validator_type: "1",
  });
  expect(choicesOf(listed)).toEqual(["dev", "prod"]);
  expect(checkInput(listed, "test").ok).toBe(false);
});
