import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

export { openBrowser } from './browser.ts';

export type Watched = Readonly<{
  page: Page;
  /** Fails if the page said anything on its console that was not expected. */
  expectQuiet(...expected: readonly RegExp[]): void;
}>;

const WIDE = { width: 1440, height: 900 };
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

/** Closed with the test: what goes on asking a hub that is gone takes its part of the machine from the tests after it. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({
    viewport: WIDE,
    reducedMotion: 'reduce',
    serviceWorkers: 'block',
    ...options,
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.stack ?? error.message}`));
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:' && hostname !== '127.0.0.1')
      complaints.push(`asked ${request.url()}`);
  });
  return {
    page,
    expectQuiet: (...expected) =>
      expect(complaints.filter((each) => !expected.some((one) => one.test(each)))).toEqual([]),
  };
}
