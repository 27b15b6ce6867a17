/**
 * Regular expressions over turns, newest first, for two seconds. They run in ripgrep's engine, in a process of its own: linear in what it
 * reads, whatever the pattern. A turn is several lines there, so which line is whose is counted here.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { HubError } from '../../../kernel/errors.ts';
import { ripgrepProgram } from '../../../kernel/ripgrep.ts';
import type { Query } from '../../../store/database.ts';
import { findTurns, type FoundTurn } from '../rows/search.ts';
import { type TurnQuestion, wantedWords } from './question.ts';
import { type TurnSearch, isMeant, marksOf, type FoundTurns } from './search.ts';

const MOST_MS = 2_000;
const PAGE = 500;

type Read = (q: Query) => Promise<void>;

/** Each page is a snapshot of its own: a search of two seconds keeps no other from writing. */
export async function matchTurns(
  read: (unit: Read) => Promise<void>,
  asking: TurnSearch,
): Promise<FoundTurns> {
  const { question, limit } = asking;
  const { source, isAnyCase } = question.pattern!;
  const engine = await startEngine(source, isAnyCase);
  const hits: FoundTurn[] = [];
  const seen: { readonly turn: FoundTurn; readonly last: number }[] = [];
  let lines = 0;
  let next = 0;
  engine.onLine((line) => {
    while (next < seen.length && seen[next]!.last < line) next += 1;
    const turn = seen[next]?.turn;
    if (turn && hits.at(-1) !== turn) hits.push(turn);
  });
  const end = performance.now() + MOST_MS;
  let below: number | undefined;
  let until: number | undefined;
  const plain: TurnQuestion = { ...question, pattern: undefined };
  const marked = marksOf(question, asking.sight);
  try {
    for (let isMore = marked !== undefined; isMore && hits.length < limit && !engine.hasEnded();) {
      const wanted = wantedWords(question, 'all');
      const isByWords = wanted.words.length + (wanted.spelt?.length ?? 0) > 0;
      let page: FoundTurn[] = [];
      await read(async (q) => {
        const found = await findTurns(q, {
          own: asking.own,
          sight: asking.sight,
          wanted: isByWords || marked!.length > 0 ? { ...wanted, marks: marked! } : undefined,
          since: question.since,
          until: question.until,
          below,
          most: PAGE,
        });
        page = found.turns.filter((turn) => isMeant(turn, plain));
        below = found.last;
        isMore = found.count === PAGE;
      });
      const texts = page.map((turn) => {
        const text = `${turn.text}\n${turn.args ?? ''}`;
        lines += text.split('\n').length;
        seen.push({ turn, last: lines });
        return `${text}\n`;
      });
      await engine.write(texts.join(''));
      if (performance.now() <= end) continue;
      until = page.at(-1)?.at ?? until;
      break;
    }
    await engine.finish(Math.max(200, end - performance.now()));
  } finally {
    engine.stop();
  }
  return { turns: hits.slice(0, limit), isPartly: false, until };
}

async function startEngine(source: string, isAnyCase: boolean) {
  const [program, ...first] = await ripgrepProgram();
  const options = [
    '--no-config',
    '--text',
    '--line-number',
    '--only-matching',
    '--replace',
    '',
    '--line-buffered',
    '--color',
    'never',
  ];
  const args = [...first, ...options, ...(isAnyCase ? ['--ignore-case'] : []), '-e', source, '-'];
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let complaint = '';
  let isOver = false;
  child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + String(chunk)).slice(0, 2_000)));
  child.stdin.on('error', () => undefined);
  const closed = once(child, 'close').then(
    ([code]) => {
      isOver = true;
      return code as number | null;
    },
    () => null,
  );
  return {
    hasEnded: () => isOver,
    onLine(take: (line: number) => void) {
      let rest = '';
      child.stdout.on('data', (chunk: Buffer) => {
        const parts = (rest + chunk.toString('latin1')).split('\n');
        rest = parts.pop()!;
        for (const part of parts) take(Number.parseInt(part, 10));
      });
    },
    async write(text: string) {
      if (isOver || text === '') return;
      if (!child.stdin.write(text))
        await Promise.race([once(child.stdin, 'drain').catch(() => undefined), closed]);
    },
    /** All that was written has been looked at, or time is over. */
    async finish(ms: number) {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), ms);
      const code = await closed;
      clearTimeout(timer);
      if (code === 2) throw badPattern(complaint);
    },
    stop: () => void child.kill('SIGKILL'),
  };
}

function badPattern(complaint: string): HubError {
  const [first = 'it cannot be read'] = complaint.trim().split('\n').slice(-1);
  return new HubError('invalid', `The pattern is not a regular expression: ${first}`, {
    hint: 'Look-around and back references are not known here: they would not be linear.',
  });
}
