// When a page is still enough for a picture.

import type { Page } from "playwright-core";

/** Waits until a page shows what it has: what is asked is answered, what moves has ended. */
export async function rest(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.waitForLoadState("load");
  // what is further down may wait until somebody comes there
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[aria-label="Loading"], [aria-label="Загрузка"]')].every(
      (it) => it.getBoundingClientRect().top >= innerHeight,
    ),
  );
  // requests follow one another; the streams never end, so that the network is not idle by itself
  await page.evaluate(async () => {
    const deadline = performance.now() + 3000;
    for (let before = -1; performance.now() < deadline; ) {
      const { length } = performance.getEntriesByType("resource");
      if (length === before) return;
      before = length;
      await new Promise((done) => setTimeout(done, 250));
    }
  });
}
