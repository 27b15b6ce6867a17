import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const EXPORTED_TYPE = /^export (?:type|interface|class) (\w+)/gm;

export type Source = Readonly<{ path: string; text: string }>;

export function readSources(root: string, pattern = 'src/**/*.ts'): Source[] {
  const paths = globSync(pattern, { cwd: root }).filter((path) => !path.endsWith('.test.ts'));
  return paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Names that two files export as types, each with its files. */
export function findSharedNames(sources: readonly Source[]): string[] {
  const homes = new Map<string, string[]>();
  for (const { path, text } of sources) {
    for (const [, name = ''] of text.matchAll(EXPORTED_TYPE))
      homes.set(name, [...(homes.get(name) ?? []), path]);
  }
  const shared = [...homes].filter(([, paths]) => paths.length > 1);
  return shared.map(([name, paths]) => `${name}: ${paths.toSorted().join(', ')}`).toSorted();
}
