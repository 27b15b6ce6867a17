import { sha256 } from '../../../kernel/digest.ts';

/** Some model interfaces take no longer name than this. */
const MOST_CHARACTERS = 64;
const SEPARATOR = '__';
const DIGEST = 8;

type Named<T> = Readonly<{ tool: T; name: string }>;
export type Naming<T> = Readonly<{ named: readonly Named<T>[]; problems: readonly string[] }>;

/** The name each tool of a source gets here. What is changed or left out is reported, never silent. */
export function nameTools<T extends Readonly<{ name: string }>>(
  source: string,
  tools: readonly T[],
): Naming<T> {
  const named: Named<T>[] = [];
  const problems: string[] = [];
  const taken = new Map<string, string>();
  const seen = new Set<string>();
  for (const tool of tools) {
    if (seen.has(tool.name)) {
      problems.push(`${shown(tool.name)} is listed twice; the first one counts`);
      continue;
    }
    seen.add(tool.name);
    const plain = nameOf(source, tool.name);
    const other = taken.get(plain);
    const name = other === undefined ? plain : digested(plain, tool.name);
    if (other !== undefined)
      problems.push(`${shown(tool.name)} and ${shown(other)} would both be ${plain}; the first is ${name}`);
    taken.set(name, tool.name);
    named.push({ tool, name });
  }
  return { named, problems };
}

export function nameOf(source: string, tool: string): string {
  const name = `${source}${SEPARATOR}${tool.replace(/[^A-Za-z0-9_-]/g, '_')}`;
  return name.length <= MOST_CHARACTERS ? name : digested(name, tool);
}

/** Whose a tool or prompt of that name would be. Names of sources have no separator in them. */
export function sourceIn(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf(SEPARATOR)));
}

/** Cut, and made unmistakable again by a digest of the whole. */
function digested(name: string, tool: string): string {
  const digest = sha256(tool).slice(0, DIGEST);
  return `${name.slice(0, MOST_CHARACTERS - DIGEST - 1)}_${digest}`;
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
