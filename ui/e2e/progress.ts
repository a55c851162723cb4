// A file of tests ends when nothing goes on, not after a time: a busy machine is slow, and is not stuck.
//
// Steps are tests that end, pages that load and requests that are answered. No step for STILL_MS ends the file; so do
// STEPS_MAX of them within one test: a page that asks for ever makes steps as well.

import { afterEach } from "node:test";
import type { BrowserContext, Page } from "playwright-core";

// three times what the slowest step takes on two cores that six builds share
const STILL_MS = 180_000;
/** What a test waits for at most in one step: sooner than its file ends, so that it says what did not come. */
export const STEP_MS = 150_000;
const LOOK_MS = 5_000;
const STEPS_MAX = 50_000;

let steps = 0;
let seen = -1;
let still = 0;
let last = "the start of the file";
const endings: (() => void)[] = [];

/** Something went on. */
export function step(what: string): void {
  steps += 1;
  last = what;
}

/** Runs before the file is ended early. */
export function beforeEarlyEnd(end: () => void): void {
  endings.push(end);
}

export function watchContext(context: BrowserContext): void {
  context.on("requestfinished", (request) => step(request.url()));
  const watchPage = (page: Page) => page.on("framenavigated", (frame) => step(frame.url()));
  context.pages().forEach(watchPage);
  context.on("page", watchPage);
}

function endEarly(why: string): never {
  console.error(`${why}; the last step: ${last}`);
  for (const end of endings) end();
  process.exit(1);
}

afterEach((test) => {
  steps = 0;
  seen = -1;
  last = `the end of "${test.name}"`;
});

// counted in looks, not by the clock: a process that does not run looks at nothing
setInterval(() => {
  if (steps > STEPS_MAX) endEarly(`${steps} steps within one test`);
  still = steps === seen ? still + LOOK_MS : 0;
  seen = steps;
  if (still >= STILL_MS) endEarly(`no step for ${STILL_MS / 1000} s`);
}, LOOK_MS).unref();
