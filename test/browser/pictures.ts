import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** `HOLDFAST_IMAGES=docs/images` keeps what the browser saw. */
const folder = process.env['HOLDFAST_IMAGES'];

export async function keepPicture(page: Page, name: string): Promise<void> {
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png` });
}
