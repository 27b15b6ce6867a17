// Trees and graphs of other tools, which allow what ours does not: circles, missing ends, any depth. Nothing here
// recurses: a chain may have as many links as the file has lines.
import type { ForeignTask } from './foreign.ts';

type Note = (what: string, times?: number) => void;

/** Who stands below whom, without circles and no deeper than `most`. */
export function breakParents(tasks: readonly ForeignTask[], most: number, note: Note): Map<string, string> {
  const parents = new Map<string, string>();
  const known = new Set(tasks.map(({ key }) => key));
  for (const { key, parent } of tasks) {
    if (parent === undefined) continue;
    if (known.has(parent)) parents.set(key, parent);
    else note('below a task that is not in the file stand alone');
  }
  const depths = new Map<string, number>();
  for (const { key } of tasks) {
    const line = lineAbove(key, parents, depths);
    if (line.isCircle) {
      parents.delete(line.top);
      note('in a circle of parents stand alone');
    }
    let depth = line.isCircle ? 0 : (depths.get(parents.get(line.top) ?? '') ?? 0);
    for (const each of line.keys) depths.set(each, (depth += 1));
  }
  for (const { key } of tasks) {
    if (depths.get(key)! <= most) continue;
    let above = parents.get(key)!;
    while (depths.get(above)! >= most) above = parents.get(above)!;
    parents.set(key, above);
    depths.set(key, most);
    note(`below level ${most} moved up to it`);
  }
  return parents;
}

/** From the topmost task whose depth is not known yet down to this one. */
function lineAbove(key: string, parents: ReadonlyMap<string, string>, depths: ReadonlyMap<string, number>) {
  const seen = new Set<string>();
  let at: string | undefined = key;
  let top = key;
  while (at !== undefined && !depths.has(at) && !seen.has(at)) {
    seen.add(at);
    top = at;
    at = parents.get(at);
  }
  return { keys: [...seen].reverse(), top, isCircle: at !== undefined && seen.has(at) };
}

/** Parents come before their children, each with its depth. */
export function generations(
  tasks: readonly ForeignTask[],
  parents: ReadonlyMap<string, string>,
): Readonly<{ task: ForeignTask; depth: number }>[] {
  const depthOf = (key: string): number => {
    let depth = 1;
    for (let above = parents.get(key); above !== undefined; above = parents.get(above)) depth += 1;
    return depth;
  };
  return tasks.map((task) => ({ task, depth: depthOf(task.key) })).sort((a, b) => a.depth - b.depth);
}

/** Who waits for whom, without circles: of a circle, the link that closes it is left out. */
export function breakWaits(tasks: readonly ForeignTask[], note: Note): Map<string, string[]> {
  const known = new Map(tasks.map((task) => [task.key, task]));
  const state = new Map<string, 'open' | 'closed'>();
  const kept = new Map<string, string[]>();
  for (const { key } of tasks) {
    const path: { key: string; rest: string[] }[] = [];
    const enter = (at: string) => {
      state.set(at, 'open');
      path.push({ key: at, rest: [...new Set(known.get(at)!.dependsOn)] });
    };
    if (!state.has(key)) enter(key);
    while (path.length > 0) {
      const top = path.at(-1)!;
      const next = top.rest.pop();
      if (next === undefined) {
        state.set(top.key, 'closed');
        path.pop();
      } else if (!known.has(next)) note('links to a task that is not in the file');
      else if (state.get(next) === 'open') note('links that would close a circle');
      else {
        kept.set(top.key, [...(kept.get(top.key) ?? []), next]);
        if (!state.has(next)) enter(next);
      }
    }
  }
  return kept;
}
