import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { HubError } from '../../../kernel/errors.ts';
import { endingsOf, escapeGlob, globFrom } from './names.ts';
import { type GrepAnswer, type GrepQuery, type GrepHit, MOST_BYTES } from './query.ts';
import type { SearchGround } from './walk.ts';

/** What is not UTF-8 comes as base64 of its bytes. */
type Said = Readonly<{ text?: string; bytes?: string }>;
type Message = Readonly<{
  type: string;
  data: { path?: Said; lines?: Said; line_number?: number; submatches?: { start: number }[] };
}>;

/** The same question for ripgrep. It stops as soon as enough has been found; nothing is buffered beyond that. */
export async function ripgrep(program: string, ground: SearchGround, query: GrepQuery, signal: AbortSignal): Promise<GrepAnswer> {
  const child = spawn(program, argumentsFor(ground, query), { cwd: ground.root, stdio: ['ignore', 'pipe', 'pipe'], signal });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString('utf8')).slice(0, 2_000)));
  const exit = new Promise<void>((resolve, reject) => child.once('error', reject).once('close', () => resolve()));
  exit.catch(() => undefined);
  const hits: GrepHit[] = [];
  let isEnough = false;
  for await (const row of createInterface({ input: child.stdout })) {
    const { type, data } = JSON.parse(row) as Message;
    if (type !== 'match') continue;
    isEnough = hits.length === query.maxMatches;
    if (isEnough) {
      child.kill();
      break;
    }
    const column = columnOf(textOf(data.lines), data.submatches?.[0]?.start ?? 0);
    hits.push({ path: textOf(data.path).replace(/^\.\//, ''), line: data.line_number ?? 0, column });
  }
  await exit;
  if (complaint !== '' && hits.length === 0) throw notSearched(complaint);
  return { hits, truncated: isEnough, engine: 'ripgrep' };
}

function argumentsFor({ folder, base, closed }: SearchGround, query: GrepQuery): string[] {
  const args = ['--json', '--no-config', '--no-messages', '--no-require-git', '--no-ignore-global', '--sort', 'path'];
  args.push('--max-filesize', String(MOST_BYTES));
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
