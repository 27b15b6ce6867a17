import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** `HOLDFAST_IMAGES=docs/images` keeps what the browser saw. */
export const images = process.env['HOLDFAST_IMAGES'];

/** Both themes of one view, for the documents. */
export async function keep(page: Page, name: string): Promise<void> {
  if (images === undefined) return;
  mkdirSync(images, { recursive: true });
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(150);
    await page.screenshot({ path: `${images}/${name}-${colorScheme}.png` });
  }
}
