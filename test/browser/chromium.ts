import { mkdirSync, rmdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium as playwright, type Page } from 'playwright-core';
import { expect } from 'vitest';

/** A Chromium from npm: it runs on a machine that has no browser. Without graphics, and with its web security on. */
export async function openBrowser(): Promise<Browser> {
  chromium.setGraphicsMode = false;
  const args = ['--no-sandbox', '--disable-gpu', '--no-zygote', '--disable-dev-shm-usage'];
  return playwright.launch({ executablePath: await unpacked(), args, headless: true });
}

const LOCK = join(tmpdir(), 'holdfast-chromium.lock');
const STALE_MS = 60_000;

/** Test files run beside each other, and only one of them may unpack it. */
async function unpacked(): Promise<string> {
  for (;;) {
    try {
      mkdirSync(LOCK);
      break;
    } catch {
      const age = Date.now() - (statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? 0);
      if (age > STALE_MS) rmdirSync(LOCK);
      await wait(100);
    }
  }
  try {
    return await chromium.executablePath();
  } finally {
    rmdirSync(LOCK);
  }
}

export type Watched = Readonly<{
  page: Page;
  /** Fails if the page said anything on its console that was not expected. */
  expectQuiet(...expected: readonly RegExp[]): void;
}>;

const WIDE = { width: 1440, height: 900 };

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({
    viewport: WIDE,
    reducedMotion: 'reduce',
    serviceWorkers: 'block',
    ...options,
  });
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
