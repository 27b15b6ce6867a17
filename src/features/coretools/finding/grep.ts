import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { closedGlobs, listFiles, pathOf, plainPath, PLAIN } from './files.ts';
import { endingsOf, globFrom } from './names.ts';
import { type GrepAnswer, type GrepHit, type GrepQuery, MOST_BYTES, type SearchGround } from './query.ts';
import { LINES, runRipgrep } from './ripgrep.ts';

/** What is not UTF-8 comes as base64 of its bytes. */
type Said = Readonly<{ text?: string; bytes?: string }>;
type Message = Readonly<{
  type: string;
  data: { path?: Said; lines?: Said; line_number?: number; submatches?: { start: number }[] };
}>;

/** Stops as soon as enough has been found; nothing is buffered beyond that. */
export async function grepFiles(
  ground: SearchGround,
  query: GrepQuery,
  signal: AbortSignal,
): Promise<GrepAnswer> {
  const args = argumentsFor(ground, query);
  const wanted = await wantedFiles(ground, query, signal);
  const mayReach = remembered((path) => query.mayReach(path));
  const hits: GrepHit[] = [];
  for await (const row of runRipgrep({ cwd: ground.root, args, separator: LINES, signal })) {
    const { type, data } = JSON.parse(row.toString('utf8')) as Message;
    if (type !== 'match') continue;
    const path = plainPath(textOf(data.path));
    if ((wanted && !wanted.has(path)) || !mayReach(path)) continue;
    if (hits.length === query.maxMatches) return { hits, truncated: true };
    const column = columnOf(textOf(data.lines), data.submatches?.[0]?.start ?? 0);
    hits.push({ path, line: data.line_number ?? 0, column });
  }
  return { hits, truncated: false };
}

/** A glob lets in what git ignores: what is found with one is compared with what is there without. */
async function wantedFiles(ground: SearchGround, { glob }: GrepQuery, signal: AbortSignal) {
  if (glob === undefined || glob.startsWith('!')) return undefined;
  if ((await stat(join(ground.root, ground.folder))).isFile()) return undefined;
  const files = new Set<string>();
  for await (const path of listFiles(ground, { respectIgnore: true, includeHidden: false, signal }))
    files.add(path);
  return files;
}

/** A file with many matches is asked for once. */
function remembered(ask: (path: string) => boolean): (path: string) => boolean {
  let [last, answer] = ['', true];
  return (path) => {
    if (path !== last) [last, answer] = [path, ask(path)];
    return answer;
  };
}

function argumentsFor(ground: SearchGround, query: GrepQuery): string[] {
  const args = ['--json', ...PLAIN, '--no-mmap', '--sort', 'path', '--max-filesize', String(MOST_BYTES)];
  if (query.caseInsensitive) args.push('-i');
  if (query.glob !== undefined) args.push('-g', globFrom(ground.base, query.glob));
  if (query.type !== undefined)
    args.push('--type-add', `wanted:*.{${endingsOf(query.type).join(',')}}`, '-t', 'wanted');
  args.push(...closedGlobs(ground));
  for (const pattern of query.patterns) args.push('-e', pattern);
  return [...args, '--', pathOf(ground)];
}

function textOf({ text, bytes }: Said = {}): string {
  return text ?? Buffer.from(bytes ?? '', 'base64').toString('utf8');
}

/** ripgrep counts bytes, we count characters. */
function columnOf(line: string, bytes: number): number {
  return Buffer.from(line).subarray(0, bytes).toString('utf8').length + 1;
}
