// Who touched this line and why: blame, the commit, and the moment of a session that made it.
import { relative } from 'node:path';
import { HubError } from '../../kernel/errors.ts';
import { withGit } from '../../kernel/git/git.ts';
import { gitPlaceOf, realOf } from '../../kernel/git/place.ts';
import type { Query } from '../../store/database.ts';
import { commitsIn, isFile, marks } from './marks.ts';
import type { Owner } from './owner.ts';
import { findTurns, type FoundTurn } from './rows/search.ts';
import type { SessionSight } from './rows/sessions.ts';

export type Blamed = Readonly<{
  /** Null: not committed yet. */
  commit: Readonly<{ id: string; at: number; author: string; subject: string }> | null;
  /** From the top of the repository. */
  file: string;
  line: string;
}>;

const UNCOMMITTED = /^0+$/;

export async function blame(file: string, line: number): Promise<Blamed> {
  const path = await realOf(file);
  const place = await gitPlaceOf(path.slice(0, path.lastIndexOf('/')) || '/');
  if (place?.top === undefined)
    throw new HubError('not_found', `${file} is in no repository.`, { hint: 'Name a file of a repository.' });
  const { top } = place;
  const name = relative(top, path);
  return withGit({ place, files: top, index: 'copy' }, async (git) => {
    const end = await git.ask('blame', '--porcelain', '-L', `${line},${line}`, '--', name);
    if (end.code !== 0)
      throw new HubError('not_found', `There is no line ${line} of ${name} that git knows.`, {
        hint: 'The file must be committed and have that line.',
      });
    return { ...readBlame(end.stdout), file: name };
  });
}

function readBlame(text: string): Omit<Blamed, 'file'> {
  const lines = text.split('\n');
  const id = lines[0]!.split(' ')[0]!;
  const of = (head: string) =>
    lines.find((each) => each.startsWith(`${head} `))?.slice(head.length + 1) ?? '';
  const line = lines.find((each) => each.startsWith('\t'))?.slice(1) ?? '';
  if (UNCOMMITTED.test(id)) return { commit: null, line };
  return {
    commit: { id, at: Number(of('committer-time')) * 1000, author: of('author'), subject: of('summary') },
    line,
  };
}

/** An edit is committed after it was made; clocks and rebases are not exact. */
const AFTER_MS = 10 * 60_000;
const PAGE = 200;

/**
 * The turn that told of the commit, with the edits of that file before it in the same session; else the last edits of that
 * file before the commit. Those that have the line itself come first.
 */
export async function turnsBehind(
  q: Query,
  { own, sight, limit }: Readonly<{ own: Owner; sight: SessionSight; limit: number }>,
  { commit, file, line }: Blamed,
): Promise<FoundTurn[]> {
  const place = [
    ...(sight.ground === undefined ? [] : [marks.ground(sight.ground)]),
    ...(sight.project === undefined ? [] : [marks.project(sight.project)]),
  ];
  const find = async (mark: string, until: number | undefined): Promise<FoundTurn[]> => {
    const wanted = {
      words: [],
      takes: 'all',
      marks: [[mark], ...(place.length > 0 ? [place] : [])],
    } as const;
    return (await findTurns(q, { own, sight, wanted, most: PAGE, until })).turns;
  };
  const telling = commit
    ? (await find(marks.commit(commit.id), undefined)).filter(({ text }) =>
        commitsIn(text).some((hash) => commit.id.startsWith(hash)),
      )
    : [];
  const edits = (await find(marks.file(file), commit ? commit.at + AFTER_MS : undefined)).filter(
    (turn) => isEdit(turn) && (turn.files?.split('\n') ?? []).some((path) => isFile(path, file)),
  );
  const sessions = new Set(telling.map(({ session }) => session));
  const wanted = line.trim();
  const worth = (turn: FoundTurn): number =>
    (sessions.has(turn.session) ? 2 : 0) +
    (wanted !== '' && hasLine(turn, wanted) ? 4 : 0) +
    (turn.kind === 'diff' ? 1 : 0);
  const ranked = edits.toSorted((a, b) => worth(b) - worth(a) || b.no - a.no);
  // A diff and the call that made it are one moment.
  const seen = new Set<string>();
  const apart = [...ranked, ...telling].filter(({ session, turn }) => {
    const isNear = [turn - 2, turn - 1, turn, turn + 1, turn + 2].some((near) =>
      seen.has(`${session} ${near}`),
    );
    seen.add(`${session} ${turn}`);
    return !isNear;
  });
  return apart.slice(0, limit);
}

function isEdit({ kind, tool, args }: FoundTurn): boolean {
  if (kind === 'diff') return true;
  return (
    kind === 'call' &&
    (/edit|write|patch|replace|create/i.test(tool ?? '') || (args ?? '').includes('*** Begin Patch'))
  );
}

function hasLine({ text, args }: FoundTurn, line: string): boolean {
  return text.includes(line) || (args ?? '').includes(JSON.stringify(line).slice(1, -1));
}
