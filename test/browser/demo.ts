import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { startBin, type StartedBin } from '../fixtures/started-bin.ts';
import { openBrowser, openPage } from './chromium.ts';

/** The demo as a process of its own; its agents stay still, so that what is seen is what was told. */
export function startDemo(): Promise<StartedBin> {
  const { PATH, HOME } = process.env;
  return startBin(['holdfast', 'demo', '--still', '--json', '--port', '0'], { PATH, HOME });
}

/** A browser and a demo for all tests of a suite; what is asked before they are there answers nothing. */
function withDemo(): Readonly<{ browser: Browser; demo: StartedBin }> {
  const opened = {} as { browser: Browser; demo: StartedBin };
  beforeAll(async () => {
    [opened.browser, opened.demo] = await Promise.all([openBrowser(), startDemo()]);
  });
  afterAll(async () => {
    await opened.browser?.close();
    await opened.demo?.stop();
  });
  return opened;
}

export type SignedInDemo = ReturnType<typeof withSignedInDemo>;

/** The same, with whoever opens a page signed in: once, for all of the suite. */
export function withSignedInDemo() {
  const suite = withDemo();
  let session: BrowserContextOptions['storageState'];
  beforeAll(async () => {
    const context = await suite.browser.newContext();
    await (await context.newPage()).goto(suite.demo.url!);
    session = await context.storageState();
    await context.close();
  });
  const open = (options: BrowserContextOptions = {}) =>
    openPage(suite.browser, { ...(session && { storageState: session }), ...options });
  return { suite, open };
}
