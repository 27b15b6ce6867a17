import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readNoticeSettings } from '../features/notices/settings.ts';
import { readEntries } from '../features/sources/config/settings.ts';
import { resolveConfig } from '../kernel/config.ts';
import { HubError } from '../kernel/errors.ts';
import { ensurePrivateFolder } from '../kernel/home.ts';
import { replaceFile } from '../kernel/replace-file.ts';
import { homeOf } from '../kernel/site.ts';
import type { World } from './world.ts';

/** config.yaml as a person changes it: checked as a whole before it is put in place, comments and all. */
export function configPath({ env }: World): string {
  return join(homeOf(env['HOLDFAST_HOME']), 'config.yaml');
}

export function readConfigText(world: World): string {
  const path = configPath(world);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

export type ConfigCount = Readonly<
  Record<'settings' | 'agents' | 'projects' | 'sources' | 'receivers', number>
>;

/** Throws what a hub would say when it starts with this. */
export async function checkConfig(world: World, text: string): Promise<ConfigCount> {
  const { said, agents, projects, notices } = await resolveConfig({ env: world.env, draft: text });
  const { to } = readNoticeSettings(notices);
  const { parse } = await import('yaml');
  const entries = text.trim() === '' ? [] : readEntries(parse(text));
  for (const entry of entries) if ('problem' in entry) throw badSource(entry.name, entry.problem);
  return {
    settings: said.filter(({ from }) => from === 'config.yaml').length,
    agents: Object.keys(agents).length,
    projects: Object.keys(projects).length,
    sources: entries.length,
    receivers: Object.keys(to).length,
  };
}

export async function changeConfig(world: World, path: string[], value: string | undefined): Promise<void> {
  const { parseDocument, parse } = await import('yaml');
  const document = parseDocument(readConfigText(world));
  if (document.errors.length > 0)
    throw new HubError(
      'invalid',
      `${configPath(world)} is not valid YAML: ${document.errors[0]!.message.split('\n')[0]}`,
      {
        hint: 'Correct it with `holdfast config edit`.',
      },
    );
  if (value === undefined) document.deleteIn(path);
  else document.setIn(path, document.createNode(meant(value, parse)));
  const text = document.toString({ lineWidth: 0 });
  await checkConfig(world, text);
  putConfig(world, text);
}

/** Numbers, switches and lists as such; whatever else, a command with a colon in it too, as the text it is. */
function meant(value: string, parse: (text: string) => unknown): unknown {
  try {
    const read = parse(value);
    const isMap = read !== null && typeof read === 'object' && !Array.isArray(read);
    return read === null || (isMap && !value.startsWith('{')) ? value : read;
  } catch {
    return value;
  }
}

export function putConfig(world: World, text: string): void {
  ensurePrivateFolder(homeOf(world.env['HOLDFAST_HOME']));
  replaceFile(configPath(world), text);
}

function badSource(name: string, problem: string): HubError {
  return new HubError('invalid', `sources.${name} in config.yaml: ${problem}`, {
    hint: 'See docs/guides/sources.md.',
  });
}
