import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { keepPicture } from './images.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Axe = {
  run(
    options: object,
  ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>;
};

const EVERYTHING = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules that look at colours: all that may differ between two themes of one page. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

/** What axe has against the page as it stands. */
export async function violationsOn(page: Page, rules = EVERYTHING): Promise<readonly string[]> {
  // As a tool of the browser and not as a script of the page: its policy lets none in.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  return page.evaluate(async (runOnly) => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run({
      runOnly,
      resultTypes: ['violations'],
      selectors: false,
    });
    return violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ html }) => html.slice(0, 200))
          .join(' | ')}`,
    );
  }, rules);
}

/** The same in both themes, with a picture of each; the page follows its system without being loaded again. */
export async function violationsInBoth(page: Page, picture?: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(`html[data-theme=${theme}]`).waitFor();
    if (picture !== undefined) await keepPicture(page, `${picture}-${theme}`);
    const rules = theme === 'light' ? EVERYTHING : COLOURS;
    for (const violation of await violationsOn(page, rules)) found.push(`${theme}: ${violation}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

export async function expectAccessible(page: Page): Promise<void> {
  expect(await violationsOn(page)).toEqual([]);
}

export async function expectAccessibleInBoth(page: Page, picture?: string): Promise<void> {
  expect(await violationsInBoth(page, picture)).toEqual([]);
}
