import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { relative } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import type { GrepAnswer, GrepMatch, GrepQuery } from './query.ts';

type Message = Readonly<{
  type: string;
  data: { path?: { text?: string }; lines?: { text?: string }; line_number?: number; submatches?: { start: number }[] };
}>;

/** The same question for ripgrep. It stops as soon as enough has been found; nothing is buffered beyond that. */
export async function ripgrep(program: string, root: string, target: string, query: GrepQuery, signal: AbortSignal): Promise<GrepAnswer> {
  const args = ['--json', '--no-config', '--sort', 'path', '--max-columns', '4096', '-B', String(query.before), '-A', String(query.after)];
  if (query.caseInsensitive) args.push('-i');
  if (query.glob !== undefined) args.push('-g', query.glob);
  if (query.type !== undefined) args.push('-t', query.type);
  for (const pattern of query.patterns) args.push('-e', pattern);
  const child = spawn(program, [...args, '--', relative(root, target) || '.'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], signal });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString('utf8')).slice(0, 2_000)));
  const exit = new Promise<number>((resolve, reject) => child.once('error', reject).once('close', (code) => resolve(code ?? 0)));
  exit.catch(() => undefined);
  const matches: { path: string; line: number; column: number; text: string; before: string[]; after: string[] }[] = [];
  let context: { path: string; line: number; text: string }[] = [];
  let isEnough = false;
  for await (const line of createInterface({ input: child.stdout })) {
    const { type, data } = JSON.parse(line) as Message;
    if (type !== 'match' && type !== 'context') continue;
    const found = {
      path: (data.path?.text ?? '').replace(/^\.\//, ''),
      line: data.line_number ?? 0,
      text: (data.lines?.text ?? '').replace(/\r?\n$/, '').slice(0, 500),
    };
    if (type === 'context') {
      const last = matches.at(-1);
      if (last && last.path === found.path && found.line <= last.line + query.after) last.after.push(found.text);
      context.push(found);
      continue;
    }
    if (matches.length === query.maxMatches) {
      isEnough = true;
      child.kill();
      break;
    }
    const before = context
      .filter(({ path, line: at }) => path === found.path && at >= found.line - query.before && at < found.line)
      .map(({ text }) => text);
    matches.push({ ...found, column: (data.submatches?.[0]?.start ?? 0) + 1, before, after: [] });
    context = [];
  }
  const code = await exit;
  if (code === 2 && !isEnough && matches.length === 0) {
    throw new HubError('invalid', `The pattern is not a regular expression: ${complaint.split('\n')[0]}`, { denied: 'grep:pattern' });
  }
  return { matches: matches.map((match) => slim(match, query)), truncated: isEnough, engine: 'ripgrep' };
}

function slim({ before, after, ...match }: GrepMatch, query: GrepQuery): GrepMatch {
  return query.before === 0 && query.after === 0 ? match : { ...match, before: before ?? [], after: after ?? [] };
}
