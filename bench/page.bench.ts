import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../test/browser/browser.ts';
import { tasksDuring } from '../test/browser/main-thread.ts';
import { manyTasks } from './page-board.ts';
import { startHub } from './process.ts';
import { atMost, p95, type Row } from './row.ts';

export const title = 'The page, 5,000 tasks on the board and 100 events a second';

const MANY = 5_000;
const STORM_MS = 6_000;
const EVENTS = 40;

export async function measure(): Promise<readonly Row[]> {
  const hub = await startHub();
  const browser = await openBrowser();
  try {
    const lines = manyTasks(MANY);
    for (let at = 0; at < MANY; at += 1_000)
      await send(`${hub.address}/api/board/archive`, 'POST', { lines: lines.slice(at, at + 1_000) });
    const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id);
    const { page, script, firstMs, contentMs } = await openBoard(browser, hub.address);
    const quiet = await eventToPixel(page, hub.address, ids[1]!);
    const storm = new AbortController();
    const told = { count: 0 };
    const raging = rage(hub.address, ids.slice(100), { signal: storm.signal, told });
    await wait(1_000);
    const began = performance.now();
    const before = told.count;
    const { cpu, wall } = await tasksDuring(browser, page, () => wait(STORM_MS));
    const rate = ((told.count - before) * 1000) / (performance.now() - began);
    const busy = await eventToPixel(page, hub.address, ids[2]!);
    storm.abort();
    await raging;
    return [
      {
        what: 'script for the board and a task, gzip',
        ours: `${(script / 1024).toFixed(0)} KB`,
        baseline: '250 KB allowed',
        ratio: script / (250 * 1024),
        hold: atMost(1),
      },
      {
        what: 'first content on the screen',
        ours: ms(contentMs),
        baseline: '300 ms allowed',
        ratio: contentMs / 300,
        hold: atMost(1),
      },
      { what: 'first card on the screen', ours: ms(firstMs), baseline: '', ratio: NaN },
      longest(`longest task while ${rate.toFixed(0)} events/s come, processor`, cpu),
      longest('the same by the clock, with whatever else the machine does', wall),
      row('event to pixel, p95, quiet', quiet),
      row('event to pixel, p95, in the storm', busy),
    ];
  } finally {
    await browser.close();
    await hub.stop();
  }
}

const ms = (value: number) => `${value.toFixed(0)} ms`;

function row(what: string, { ours, bare }: Pixel): Row {
  return {
    what,
    ours: ms(p95(ours)),
    baseline: `${ms(p95(bare))} bare stream`,
    ratio: p95(ours) / p95(bare),
  };
}

function longest(what: string, tasks: readonly number[]): Row {
  const most = Math.max(0, ...tasks);
  return { what, ours: ms(most), baseline: '50 ms allowed', ratio: most / 50, hold: atMost(1) };
}

async function openBoard(browser: Browser, address: string) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  let script = 0;
  const seen = new Set<string>();
  page.on('response', (response) => {
    if (!response.url().endsWith('.js') || seen.has(response.url())) return;
    seen.add(response.url());
    void response.body().then((body) => (script += gzipSync(body).length));
  });
  const started = performance.now();
  await page.goto(`${address}/board`);
  await page.locator('[data-card]').first().waitFor();
  const firstMs = performance.now() - started;
  const contentMs = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
  );
  await page.locator('[data-card]').first().click();
  await page.getByRole('heading', { name: 'Conversation' }).waitFor();
  await page.keyboard.press('Escape');
  await wait(1_500);
  return { page, script, firstMs, contentMs };
}

/** Notes when a frame shows the mark in a card, and when a bare stream has heard of the change. */
const watching = (id: string) => `(() => {
  const marks = (globalThis.marks = { ours: {}, bare: [] });
  const look = () => {
    const [, mark] = /~(\\d+)/.exec(document.querySelector('[data-card="${id}"]')?.textContent ?? '') ?? [];
    if (mark !== undefined) requestAnimationFrame(() => (marks.ours[mark] ??= Date.now()));
  };
  new MutationObserver(look).observe(document.body, { subtree: true, characterData: true, childList: true });
  new EventSource('/api/events?kinds=task.updated').addEventListener('message', ({ data }) => {
    if (JSON.parse(data).subject === '${id}') marks.bare.push(Date.now());
  });
})()`;

type Marks = Readonly<{ ours: Readonly<Record<string, number>>; bare: readonly number[] }>;
type Pixel = Readonly<{ ours: readonly number[]; bare: readonly number[] }>;

/** From before a title is changed until the frame that shows it, and until a bare stream in the same page has heard of it. */
async function eventToPixel(page: Page, address: string, id: string): Promise<Pixel> {
  await page.evaluate(watching(id));
  await wait(500);
  const sent: number[] = [];
  for (let at = 0; at < EVENTS; at += 1) {
    sent.push(Date.now());
    await send(`${address}/api/board/tasks/${id}`, 'PATCH', { title: `Task ~${at}` });
    await wait(137);
  }
  await wait(1_000);
  const { ours, bare } = await page.evaluate<Marks>('globalThis.marks');
  const shown = sent.map((at, i) => (ours[i] ?? Infinity) - at);
  return { ours: shown, bare: bare.slice(-EVENTS).map((at, i) => at - sent[i]!) };
}

type Storm = Readonly<{ signal: AbortSignal; told: { count: number } }>;

/** A hundred changes a second, whatever the hub makes of them. */
async function rage(address: string, ids: readonly string[], { signal, told }: Storm): Promise<void> {
  const pending: Promise<void>[] = [];
  const began = performance.now();
  for (let at = 0; !signal.aborted; at += 1) {
    const task = `${address}/api/board/tasks/${ids[at % ids.length]}`;
    pending.push(send(`${task}/comments`, 'POST', { body: 'storm' }).then(() => void (told.count += 1)));
    await wait(Math.max(0, began + (at + 1) * 10 - performance.now()));
  }
  await Promise.all(pending);
}

async function send(url: string, method: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}
