import { readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';

export type Import = Readonly<{ target: string; typeOnly: boolean; names: readonly string[] }>;
export type Module = Readonly<{ path: string; imports: readonly Import[] }>;

const STATEMENT = /^[ \t]*(?:import|export)\s+(type\s+)?([^'";]*?)\bfrom\s*['"]([^'"]+)['"]/gm;
const BARE = /^[ \t]*import\s*['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;
const TYPE_QUERY = /\btypeof\s+import\(\s*['"]([^'"]+)['"]\s*\)/g;

/** Reads every import of a source text. Relative targets become repository paths, others stay package names. */
export function parseModule(path: string, source: string): Module {
  const text = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const resolve = (target: string) =>
    target.startsWith('.') ? posix.join(posix.dirname(path), target) : target;
  const imports: Import[] = [];
  const queried = new Set([...text.matchAll(TYPE_QUERY)].map((match) => match[1]!));
  for (const [, type, clause, target] of text.matchAll(STATEMENT)) {
    const names = clause!.split(/[{},\s]+/).filter((name) => name !== '' && name !== 'as');
    imports.push({ target: resolve(target!), typeOnly: type !== undefined, names });
  }
  for (const [, target] of text.matchAll(BARE))
    imports.push({ target: resolve(target!), typeOnly: false, names: [] });
  for (const [, target] of text.matchAll(DYNAMIC))
    imports.push({ target: resolve(target!), typeOnly: queried.has(target!), names: [] });
  return { path, imports };
}

/** Every product source under `src/`; tests may reach anywhere and are not walked. */
export function readModules(root: string): Module[] {
  return readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => parseModule(posix.relative(root, file), readFileSync(file, 'utf8')));
}

/** The first cycle found, as a path that ends where it began. */
export function findCycle(modules: readonly Module[]): readonly string[] | undefined {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const finished = new Set<string>();
  const visit = (path: string, trail: readonly string[]): readonly string[] | undefined => {
    const seenAt = trail.indexOf(path);
    if (seenAt >= 0) return [...trail.slice(seenAt), path];
    if (finished.has(path)) return undefined;
    for (const { target } of byPath.get(path)?.imports ?? []) {
      const cycle = byPath.has(target) ? visit(target, [...trail, path]) : undefined;
      if (cycle) return cycle;
    }
    finished.add(path);
    return undefined;
  };
  for (const { path } of modules) {
    const cycle = visit(path, []);
    if (cycle) return cycle;
  }
  return undefined;
}
