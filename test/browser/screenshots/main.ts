import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { manyTasks } from '../../../bench/page-board.ts';
import { startBin } from '../../fixtures/started-bin.ts';
import { openBrowser } from '../browser.ts';
import { EMPTY, FULL, MANY, type Scene, STRANGE } from './scenes.ts';

const WIDTHS = [
  { width: 1440, height: 900 },
  { width: 2560, height: 1300 },
  { width: 390, height: 844, isPhone: true },
] as const;
const THEMES = ['light', 'dark'] as const;
/** What the demo starts by itself (runs, landings, a runner) has come this far by then. */
const DEMO_SETTLES_MS = 25_000;

const TITLES = [
  'Import the gauge files of a year',
  'Keep the scheme after a login',
  'Say which station a reading is from, and since when it has been silent',
  'Tide chart for a week',
  'Alert when a gauge is silent',
];

const [folder, ...words] = process.argv.slice(2) as [string, ...string[]];
const { PATH, HOME } = process.env;

/** `state`: who is signed in there; without it, nobody. */
type Hub = Readonly<{
  address: string;
  state?: BrowserContextOptions['storageState'];
  stop(): Promise<unknown>;
}>;
type Stage = Readonly<{ name: string; scenes: readonly Scene[]; open(): Promise<Hub> }>;

const STAGES: readonly Stage[] = [
  { name: 'full', scenes: FULL, open: openDemo },
  { name: 'empty', scenes: EMPTY, open: () => openHub(0) },
  { name: 'many', scenes: MANY, open: () => openHub(5_000) },
  { name: 'strange', scenes: STRANGE, open: () => openHub(0, false) },
];

mkdirSync(folder, { recursive: true });
const browser = await openBrowser();
try {
  for (const stage of STAGES) if (shotsOf(stage).length > 0) await take(stage);
} finally {
  await browser.close();
}

function shotsOf({ name, scenes }: Stage) {
  return THEMES.flatMap((theme) =>
    WIDTHS.flatMap((size) => {
      const named = scenes.map((scene) => ({
        scene,
        name: `${name}-${scene.name}-${size.width}-${theme}`,
      }));
      const wanted = named.filter((shot) => words.every((word) => shot.name.split('-').includes(word)));
      return wanted.length === 0 ? [] : [{ theme, size, wanted }];
    }),
  );
}

async function take(stage: Stage): Promise<void> {
  const hub = await stage.open();
  try {
    for (const { theme, size, wanted } of shotsOf(stage)) {
      const isPhone = 'isPhone' in size;
      const context = await browser.newContext({
        viewport: { width: size.width, height: size.height },
        colorScheme: theme,
        reducedMotion: 'reduce',
        serviceWorkers: 'block',
        ...(hub.state && { storageState: hub.state }),
        ...(isPhone && { hasTouch: true, isMobile: true, deviceScaleFactor: 2 }),
      });
      const page = await context.newPage();
      page.setDefaultTimeout(10_000);
      for (const { scene, name } of wanted) await shoot(page, { scene, name, hub });
      await context.close();
    }
  } finally {
    await hub.stop();
  }
}

/** One that cannot be taken is named and stops none of the others. */
async function shoot(
  page: Page,
  { scene, name, hub }: Readonly<{ scene: Scene; name: string; hub: Hub }>,
): Promise<void> {
  try {
    const ask = async (path: string) => (await page.request.get(`${hub.address}${path}`)).json();
    const path = typeof scene.path === 'string' ? scene.path : await scene.path(ask);
    await page.goto(`${hub.address}${path}`);
    await page.getByRole('heading').first().waitFor();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    await scene.act?.(page);
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(folder, `${name}.png`) });
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${name}: ${(error as Error).message.split('\n')[0]}\n`);
  }
}

async function signIn(url: string): Promise<BrowserContextOptions['storageState']> {
  const page = await browser.newPage();
  await page.goto(url);
  const state = await page.context().storageState();
  await page.context().close();
  return state;
}

async function openDemo(): Promise<Hub> {
  const demo = await startBin(['holdfast', 'demo', '--json', '--port', '0'], { PATH, HOME });
  const state = await signIn(demo.url!);
  await wait(DEMO_SETTLES_MS);
  return { address: demo.address, state, stop: () => demo.stop() };
}

async function openHub(tasks: number, isSignedIn = true): Promise<Hub> {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-shots-'));
  const env = { PATH, HOME: home, HOLDFAST_HOME: join(home, 'hub'), HOLDFAST_LOG: 'error' };
  const hub = await startBin(['holdfast', 'up', '--json', '--port', '0'], env);
  const token = readFileSync(join(home, 'hub', 'token'), 'utf8').trim();
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${hub.address}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return answer.json() as Promise<{ path: string }>;
  };
  const lines = manyTasks(tasks).map(told);
  for (let at = 0; at < lines.length; at += 1_000)
    await post('/api/board/archive', { lines: lines.slice(at, at + 1_000) });
  const state = isSignedIn ? await signIn(`${hub.address}${(await post('/api/open', {})).path}`) : undefined;
  const stop = async () => {
    await hub.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  };
  return { address: hub.address, state, stop };
}

/** Titles and projects as people have them. */
function told(line: string, at: number): string {
  const title = `${TITLES[Math.floor(at / 3) % TITLES.length]!} (${at})`;
  const teamId = ['tidepool', 'lighthouse', null][at % 3];
  return JSON.stringify({ ...JSON.parse(line), title, teamId, priority: at % 5 === 4 ? 3 : at % 3 });
}
