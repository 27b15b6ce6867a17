import { mkdirSync, rmdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

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
