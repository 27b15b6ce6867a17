import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkConfigText, type ConfigCount } from '../features/config-check.ts';
import { editConfigText } from '../kernel/config-text.ts';
import { ensurePrivateFolder } from '../kernel/home.ts';
import { isObject } from '../kernel/loose-json.ts';
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

/** Throws what a hub would say when it starts with this. */
export const checkConfig = ({ env }: World, text: string): Promise<ConfigCount> =>
  checkConfigText({ text, env });

export async function changeConfig(world: World, path: string[], value: string | undefined): Promise<void> {
  const { readYaml } = await import('../kernel/yaml-text.ts');
  const file = { path: configPath(world), text: readConfigText(world) };
  const meaning = value === undefined ? undefined : meant(value, readYaml);
  const text = await editConfigText(file, [{ path, value: meaning }]);
  await checkConfig(world, text);
  putConfig(world, text);
}

/** Numbers, switches and lists as such; whatever else, a command with a colon in it too, as the text it is. */
function meant(value: string, parse: (text: string) => unknown): unknown {
  try {
    const read = parse(value);
    return read === null || (isObject(read) && !value.startsWith('{')) ? value : read;
  } catch {
    return value;
  }
}

export function putConfig(world: World, text: string): void {
  ensurePrivateFolder(homeOf(world.env['HOLDFAST_HOME']));
  replaceFile(configPath(world), text);
}
