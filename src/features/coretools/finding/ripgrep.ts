import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { HubError } from '../../../kernel/errors.ts';
import { endingsOf, escapeGlob, globFrom } from './names.ts';
import { clip } from './matching.ts';
import { type GrepAnswer, type GrepMatch, type GrepQuery, MOST_BYTES } from './query.ts';
import type { Ground } from './walk.ts';

/** What is not UTF-8 comes as base64 of its bytes. */
type Said = Readonly<{ text?: string; bytes?: string }>;
type Message = Readonly<{
  type: string;
  data: { path?: Said; lines?: Said; line_number?: number; submatches?: { start: number }[] };
}>;

/** The same question for ripgrep. It stops as soon as enough has been found; nothing is buffered beyond that. */
export async function ripgrep(program: string, ground: Ground, query: GrepQuery, signal: AbortSignal): Promise<GrepAnswer> {
  const child = spawn(program, argumentsFor(ground, query), { cwd: ground.root, stdio: ['ignore', 'pipe', 'pipe'], signal });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString('utf8')).slice(0, 2_000)));
  const exit = new Promise<void>((resolve, reject) => child.once('error', reject).once('close', () => resolve()));
  exit.catch(() => undefined);
  const matches: GrepMatch[] = [];
  let lines: Line[] = [];
  let count = 0;
  for await (const row of createInterface({ input: child.stdout })) {
    const { type, data } = JSON.parse(row) as Message;
    if (type === 'end') {
      matches.push(...matchesOf(textOf(data.path), lines, query));
      lines = [];
    }
    if (type !== 'match' && type !== 'context') continue;
    count += type === 'match' ? 1 : 0;
    if (count > query.maxMatches) {
      matches.push(...matchesOf(textOf(data.path), lines, query));
      child.kill();
      break;
    }
    const text = textOf(data.lines);
    const column = type === 'match' ? columnOf(text, data.submatches?.[0]?.start ?? 0) : undefined;
    lines.push({ line: data.line_number ?? 0, text: clip(text.replace(/\n$/, '')), column });
  }
  await exit;
  if (complaint !== '' && count === 0) throw notSearched(complaint);
  return { matches, truncated: count > query.maxMatches, engine: 'ripgrep' };
}

/** A line that ripgrep told of; one that matched has a column. */
type Line = Readonly<{ line: number; text: string; column: number | undefined }>;

/** The lines of one file come in order, each once: what stands around a match may be context or another match. */
function matchesOf(name: string, lines: readonly Line[], { before, after }: GrepQuery): GrepMatch[] {
  const path = name.replace(/^\.\//, '');
  return lines.flatMap(({ line, text, column }, i) => {
    if (column === undefined) return [];
    if (before === 0 && after === 0) return [{ path, line, column, text }];
    const around = { before: lines.slice(Math.max(0, i - before), i), after: lines.slice(i + 1, i + 1 + after) };
    const textsOf = (near: readonly Line[], most: number) =>
      near.filter((each) => Math.abs(each.line - line) <= most).map((each) => each.text);
    return [{ path, line, column, text, before: textsOf(around.before, before), after: textsOf(around.after, after) }];
  });
}

function argumentsFor({ folder, base, closed }: Ground, query: GrepQuery): string[] {
  const args = ['--json', '--no-config', '--no-messages', '--no-require-git', '--no-ignore-global', '--sort', 'path'];
  args.push('--max-filesize', String(MOST_BYTES), '-B', String(query.before), '-A', String(query.after));
  if (query.caseInsensitive) args.push('-i');
  if (query.glob !== undefined) args.push('-g', globFrom(base, query.glob));
  if (query.type !== undefined) args.push('--type-add', `wanted:*.{${endingsOf(query.type).join(',')}}`, '-t', 'wanted');
  for (const path of closed) args.push('-g', `!/${escapeGlob(path)}`);
  for (const pattern of query.patterns) args.push('-e', pattern);
  return [...args, '--', folder === '' ? '.' : `./${folder}`];
}

function textOf({ text, bytes }: Said = {}): string {
  return text ?? Buffer.from(bytes ?? '', 'base64').toString('utf8');
}

/** ripgrep counts bytes, we count characters. */
function columnOf(line: string, bytes: number): number {
  return Buffer.from(line).subarray(0, bytes).toString('utf8').length + 1;
}

function notSearched(complaint: string): HubError {
  const [first = ''] = complaint.split('\n');
  return /regex parse error|error parsing regex/.test(complaint)
    ? new HubError('invalid', `The pattern is not a regular expression: ${complaint.trim()}`, { denied: 'grep:pattern' })
    : new HubError('invalid', `Nothing was searched: ${first}`, { denied: 'grep:pattern' });
}
