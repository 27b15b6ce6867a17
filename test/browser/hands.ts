import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Runs in the page, before anything of it: with what somebody uses it. */
export function noteInput(): void {
  const used = new Set<string>();
  (globalThis as any).usedWith = used;
  const listen = (globalThis as any).addEventListener as (
    kind: string,
    hear: (event: any) => void,
    isEarly: boolean,
  ) => void;
  listen('keydown', () => used.add('key'), true);
  listen('pointerdown', ({ pointerType }) => used.add(pointerType as string), true);
}

export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** What has the focus, as its kind and its name. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: it } = (globalThis as any).document;
    return `${it?.tagName} ${it?.getAttribute('aria-label') ?? it?.labels?.[0]?.textContent ?? it?.textContent}`;
  });

/** What is chosen in the box for everything. */
export const chosen = async (page: Page): Promise<string> =>
  (await page.locator('[role=option][aria-selected=true]').allTextContents()).join(' ');

/** Tab until the focus is on what is called so. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let steps = 0; steps < 80; steps += 1) {
    if ((await focused(page)).includes(name)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${name} is not reached by Tab`);
}

/** Read on, step by step, until what was looked for is there: the button to it, or the one that had to wait for it. */
export async function readOn(
  around: Pick<Page, 'getByRole'>,
  allow: Locator,
  how: 'click' | 'tap' = 'click',
): Promise<void> {
  const on = around.getByRole('button', { name: /^Read on/ });
  await expect
    .poll(
      async () => {
        if ((await allow.count()) > 0 && !(await allow.isDisabled())) return true;
        // It may have gone by now: all of it was on screen.
        await on[how]({ timeout: 2_000 }).catch(() => undefined);
        return false;
      },
      { timeout: 20_000, interval: 60 },
    )
    .toBe(true);
}

/** What was decided goes out at once, and nobody waits for its moment; on a slow machine that may be over by now. */
export async function sendNow(page: Page, name = 'Send now'): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  await button.click({ timeout: 7_000 }).catch(() => undefined);
}
