import type { NormalText } from './normal.ts';
import type { Tree } from './tree.ts';
import type { WrittenCite } from './written.ts';

const AT_ONCE = 16;

/** The names that stand on exactly one line of all files, and where. */
export async function findNames(tree: Tree, names: readonly string[]): Promise<WrittenCite[]> {
  const found = new Map<string, WrittenCite[]>(names.map((name) => [name, []]));
  const waiting = [...(await tree.list())];
  async function walk(): Promise<void> {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const file = await tree.read(path);
      if (!file) continue;
      for (const name of names) {
        const places = found.get(name)!;
        // Two are too many already.
        if (places.length < 2)
          places.push(...linesWith(file, name).map((line) => ({ path, from: line, to: line })));
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, walk));
  return [...found.values()].flatMap((places) => (places.length === 1 ? places : []));
}

function linesWith({ text, lines }: NormalText, name: string): number[] {
  if (!text.includes(name)) return [];
  const whole = new RegExp(`(?<![\\w$])${name.replace(/\$/g, '\\$')}(?![\\w$])`);
  return lines.filter(({ start, end }) => whole.test(text.slice(start, end))).map(({ no }) => no);
}
