// What somebody took apart stays apart: a merge that was undone is an answer, and no patrol asks again.
import { type Node, nodesByIds } from './rows/nodes.ts';
import { undoneMerges } from './rows/runs.ts';
import type { Seen } from './rows/whose.ts';

export interface Apart {
  /** Those that may join a survivor together: none that was ever parted from it, or from one that joins before it. */
  besides(survivor: Node, others: readonly Node[]): readonly Node[];
}

/** A memory may since have been taken in by another one, which then stands for it. */
export async function keptApart(self: Seen): Promise<Apart> {
  const undone = await undoneMerges(self);
  const groups = undone.map(({ before }) => before.map(({ id }) => id));
  const standing = await standIns(self, new Set(groups.flat()));
  const parted = new Set<string>();
  for (const group of groups)
    for (const one of group)
      for (const other of group) if (one !== other) parted.add(pair(standing(one), standing(other)));
  return {
    besides(survivor, others) {
      const joined = [survivor];
      for (const other of others)
        if (!joined.some(({ id }) => parted.has(pair(id, other.id)))) joined.push(other);
      return joined.slice(1);
    },
  };
}

const pair = (one: string, other: string): string => `${one} ${other}`;

/** Who stands for a memory today: itself, or what took it in, or what took that in. */
async function standIns(self: Seen, ids: ReadonlySet<string>): Promise<(id: string) => string> {
  const replacedBy = new Map<string, string>();
  for (let open = [...ids]; open.length > 0;) {
    const found = await nodesByIds(self, open);
    open = [];
    for (const { id, replacedBy: by } of found) {
      if (by === null || replacedBy.has(id)) continue;
      replacedBy.set(id, by);
      open.push(by);
    }
  }
  return (id) => {
    const passed = new Set<string>();
    let at = id;
    for (let by = replacedBy.get(at); by !== undefined && !passed.has(by); by = replacedBy.get(at)) {
      passed.add(by);
      at = by;
    }
    return at;
  };
}
