// `holdfast config`: what the hub runs with, who said so, and changing it. Nothing is written that a hub would refuse.
import { Command } from 'commander';
import { runningHub } from '../kernel/discovery.ts';
import { HubError } from '../kernel/errors.ts';
import { nearestName } from '../kernel/nearest-name.ts';
import { resolveConfig, type SaidSetting } from '../kernel/config.ts';
import { readDuration, type Setting, SETTINGS } from '../kernel/settings.ts';
import { withClient } from './client.ts';
import { paint } from './terminal/color.ts';
import { changeConfig, checkConfig, configPath, readConfigText, putConfig } from './config-file.ts';
import type { Options } from './options.ts';
import { type Column, printable, renderTable } from './terminal/table.ts';
import type { World } from './world.ts';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { openEditor } from './terminal/editor.ts';

export function configCommand(world: World): Command {
  const config = new Command('config').description('the settings of the hub: see, change and check them');
  const json = (command: Command) => command.option('--json', 'answer as JSON');
  json(config.command('show'))
    .description('what is set, and where that was said')
    .option('--all', 'also what is as it is by default')
    .action((options: Options) => show(world, options));
  json(config.command('get'))
    .description('the value of one setting')
    .argument('<key>', 'such as lease or approvals.wait')
    .action((key: string, options: Options) => get(world, key, options));
  json(config.command('set'))
    .description('write a setting into config.yaml')
    .argument('<key>', 'such as lease, or agents.cheap.model')
    .argument('<value>')
    .action((key: string, value: string, options: Options) => change(world, { key, value }, options));
  json(config.command('unset'))
    .description('take a setting out of config.yaml: it is as by default again')
    .argument('<key>')
    .action((key: string, options: Options) => change(world, { key, value: undefined }, options));
  config
    .command('edit')
    .description('open config.yaml in your editor; what a hub would refuse is not put in place')
    .action(() => editConfig(world));
  json(config.command('check'))
    .description('would a hub start with it, and what waits for a restart?')
    .action((options: Options) => check(world, options));
  return config;
}

type Shown = SaidSetting & Readonly<{ value: string; next?: string | null }>;

const COLUMNS: readonly Column<Shown>[] = [
  { title: 'KEY', cell: ({ key }) => key },
  { title: 'VALUE', cell: ({ value }) => printable(value), flexible: true },
  { title: 'FROM', cell: ({ from }) => from },
];

async function show(world: World, options: Options): Promise<void> {
  const settings = await settingsNow(world);
  const shown = options['all'] ? settings : settings.filter(({ text }) => text !== undefined);
  if (options['json'])
    return world.print(JSON.stringify({ path: configPath(world), settings: shown.map(forProgram) }));
  if (shown.length > 0) world.print(renderTable(COLUMNS, shown, world.columns));
  for (const line of await waiting(world)) world.tell(line);
  const rest = settings.length - shown.length;
  if (rest > 0)
    world.tell(`${shown.length === 0 ? 'All' : rest} settings are as by default; --all shows them.`);
  world.tell(`The file is ${configPath(world)}; agents, projects, sources and notices are in it, too.`);
}

function forProgram({ key, value, text, from }: Shown): object {
  return { key, value: text ?? value, from };
}

async function settingsNow(world: World): Promise<Shown[]> {
  const { said } = await resolveConfig({ env: world.env });
  return said.map((setting) => ({ ...setting, value: setting.text ?? fallbackOf(setting.key) }));
}

async function get(world: World, key: string, options: Options): Promise<void> {
  const found = (await settingsNow(world)).find((each) => each.key === key);
  if (found) return world.print(options['json'] ? JSON.stringify(forProgram(found)) : found.value);
  const { readYaml } = await import('../kernel/yaml-text.ts');
  const value = key.split('.').reduce<unknown>(inside, readYaml(readConfigText(world)));
  if (value === undefined) throw unknownKey(key);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  world.print(options['json'] ? JSON.stringify({ key, value, from: 'config.yaml' }) : text);
}

function inside(value: unknown, key: string): unknown {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[key] : undefined;
}

type Change = Readonly<{ key: string; value: string | undefined }>;

async function change(world: World, { key, value }: Change, options: Options): Promise<void> {
  const isKnown = FREE.some((part) => key === part || key.startsWith(`${part}.`)) || key === 'database';
  const setting = settingOf(key);
  if (!setting && !isKnown) throw unknownKey(key);
  if (setting && value !== undefined && setting.read(value) === undefined)
    throw new HubError('invalid', `${key} must be ${setting.expects}; got ${JSON.stringify(value)}.`, {
      hint: `It is ${(await settingsNow(world)).find((each) => each.key === key)!.value} now.`,
    });
  const before = (await settingsNow(world)).find((each) => each.key === key);
  await changeConfig(world, key.split('.'), value);
  const after = (await settingsNow(world)).find((each) => each.key === key);
  const isBeaten = after !== undefined && value !== undefined && after.from !== 'config.yaml';
  if (options['json'])
    return world.print(JSON.stringify({ key, value: value ?? null, path: configPath(world) }));
  const was = before === undefined ? '' : ` (was ${before.value}, ${before.from})`;
  world.print(value === undefined ? `${key} is as by default${was}` : `${key} is ${value}${was}`);
  if (isBeaten) world.tell(`But ${after.from} says ${after.value}, and comes first.`);
  else if (setting && (await hubDiffers(world, { key, value })))
    world.tell('It counts from the next start of the hub: holdfast restart');
}

async function hubDiffers(world: World, { key, value }: Change): Promise<boolean> {
  if (!(await isRunning(world))) return false;
  const { settings } = await withClient(world, {}, (client) => client.ask('GET /api/settings'));
  return settings.find((each) => each.key === key)?.value !== (value ?? null);
}

async function check(world: World, options: Options): Promise<void> {
  const counted = await checkConfig(world, readConfigText(world));
  const late = await waiting(world);
  if (options['json'])
    return world.print(JSON.stringify({ ok: true, path: configPath(world), ...counted, waiting: late }));
  const parts = Object.entries(counted)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${count === 1 ? name.slice(0, -1) : name}`);
  world.print(`${configPath(world)} is fine: ${parts.join(', ') || 'all is as by default'}.`);
  for (const line of late) world.tell(line);
}

/** What the running hub does not know yet. */
async function waiting(world: World): Promise<string[]> {
  if (!(await isRunning(world))) return [];
  const { settings, problem } = await withClient(world, {}, (client) => client.ask('GET /api/settings'));
  const late = settings.filter(({ next }) => next !== undefined);
  return [
    ...(problem === null ? [] : [paint('yellow', `The hub goes on with what it read before: ${problem}`)]),
    ...late.map(
      ({ key, value, next }) =>
        `${key}: the hub started with ${value ?? fallbackOf(key)}, config.yaml says ${next ?? `${fallbackOf(key)} (default)`}; holdfast restart`,
    ),
  ];
}

async function isRunning(world: World): Promise<boolean> {
  return (await runningHub(await resolveConfig({ env: world.env }))) !== undefined;
}

/** Sections with names of their own inside; a hub reads them whole. */
const FREE = ['agents', 'projects', 'notices', 'profiles', 'sources'];

function settingOf(key: string): Setting<unknown> | undefined {
  return Object.values<Setting<unknown>>(SETTINGS).find((each) => each.key === key);
}

function fallbackOf(key: string): string {
  const { fallback, read } = settingOf(key)!;
  if (fallback === undefined || (Array.isArray(fallback) && fallback.length === 0)) return '-';
  if (read === readDuration) return duration(Number(fallback));
  return typeof fallback === 'string' ? fallback : JSON.stringify(fallback);
}

function duration(ms: number): string {
  const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };
  const found = Object.entries(units).find(([, each]) => ms > 0 && ms % each === 0);
  return found ? `${ms / found[1]}${found[0]}` : String(ms);
}

function unknownKey(key: string): HubError {
  const known = [...Object.values<Setting<unknown>>(SETTINGS).map((each) => each.key), ...FREE];
  const meant = nearestName(key, known);
  return new HubError('not_found', `There is no setting ${key}.${meant ? ` Did you mean ${meant}?` : ''}`, {
    hint: '`holdfast config show --all` shows every one.',
  });
}

const BEGINNING = '# Settings of Holdfast; what may stand here is in docs/reference/settings.md.\n';

/** On a draft, which lies beside the file until it is good: a slip of the pen stops no hub and loses no work. */
async function editConfig(world: World): Promise<void> {
  const draft = `${configPath(world)}.draft`;
  const before = readConfigText(world);
  if (!existsSync(draft)) {
    if (before === '') putConfig(world, '');
    writeFileSync(draft, before === '' ? BEGINNING : before, { mode: 0o600 });
  }
  openEditor(world, draft);
  const text = readFileSync(draft, 'utf8');
  try {
    const { settings } = await checkConfig(world, text);
    if (text !== before) putConfig(world, text);
    rmSync(draft);
    world.print(
      text === before ? 'Nothing was changed.' : `${configPath(world)} is in place (${settings} settings).`,
    );
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    throw new HubError('invalid', error.message, {
      hint: `${error.hint} Nothing was put in place. Your text is in ${draft}; \`holdfast config edit\` goes on with it.`,
    });
  }
}
