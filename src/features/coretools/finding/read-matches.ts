import { join } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import { readWhole } from '../files/atomic.ts';
import type { Workspace } from '../../../kernel/workspace.ts';
import type { LinesAround, GrepHit } from './query.ts';

export type GrepMatch = GrepHit &
  Readonly<{ text: string; before?: readonly string[]; after?: readonly string[] }>;

const MOST_TEXT = 500;

/**
 * The lines that were found. An engine says only where: a folder may become a link while it is searched, and
 * then it found something outside. What is answered is read through handles that are checked to be inside
 * (proved by "a folder that is swapped for a link over and over leads nowhere outside").
 */
export async function readMatches(
  space: Workspace,
  hits: readonly GrepHit[],
  around: LinesAround,
): Promise<GrepMatch[]> {
  const matches: GrepMatch[] = [];
  for (const [path, own] of Map.groupBy(hits, (hit) => hit.path)) {
    const lines = await linesInside(space, path);
    for (const hit of own) if (lines[hit.line - 1] !== undefined) matches.push(describe(hit, lines, around));
  }
  return matches;
}

function describe(hit: GrepHit, lines: readonly string[], { before, after }: LinesAround): GrepMatch {
  const at = hit.line - 1;
  const match = { ...hit, text: clip(lines[at]!) };
  if (before === 0 && after === 0) return match;
  return {
    ...match,
    before: lines.slice(Math.max(0, at - before), at).map(clip),
    after: lines.slice(at + 1, at + 1 + after).map(clip),
  };
}

async function linesInside(space: Workspace, path: string): Promise<readonly string[]> {
  try {
    const file = await readWhole(space, { path: join(space.root, path), name: path });
    return file?.bytes.toString('utf8').replace(/\n$/, '').split('\n') ?? [];
  } catch (error) {
    if (error instanceof HubError) return [];
    throw error;
  }
}

function clip(line: string): string {
  const plain = line.endsWith('\r') ? line.slice(0, -1) : line;
  return plain.length > MOST_TEXT ? `${plain.slice(0, MOST_TEXT)}…` : plain;
}
