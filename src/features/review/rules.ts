// Pure decisions of a review: what approving does, and how what was said reaches an agent.
import type { LandingView } from '../landing/landing.ts';
import type { ReviewPlan, Thread } from './shapes.ts';

type Standing = Readonly<{
  /** Of the task; undefined where there is none. */
  status: string | undefined;
  landing: LandingView | null;
  target: string | undefined;
}>;

const UNDER_WAY: ReadonlySet<LandingView['state']> = new Set(['queued', 'testing', 'held']);

/** A landing that waits for a person is let through; where there is a target it lands; else the task is done. */
export function whatApprovingDoes({ status, landing, target }: Standing): ReviewPlan['does'] {
  if (status === undefined || status === 'done' || status === 'cancelled') return 'nothing';
  if (landing?.state === 'waiting_person') return 'approve_landing';
  if (landing && UNDER_WAY.has(landing.state)) return 'under_way';
  return target === undefined ? 'done' : 'land';
}

function whereOf({ path, side, fromLine, toLine }: Omit<Thread, 'comments'>): string {
  const lines = fromLine === toLine ? String(fromLine) : `${fromLine}-${toLine}`;
  return `${path}:${lines}${side === 'before' ? ' (removed)' : ''}`;
}

type Said = Readonly<{ branch: string; body: string; threads: readonly Thread[] }>;

/** As an agent reads it best: where, what stands there, what is to be said about it, and what it is to be instead. */
export function messageOf({ branch, body, threads }: Said): string {
  const open = threads.filter(({ resolvedAt }) => resolvedAt === null);
  const parts = open.map((thread) => {
    const said = thread.comments.map(({ author, byPerson, body: words, suggestion }) =>
      [byPerson ? words : `${author}: ${words}`, ...(suggestion === null ? [] : [suggested(suggestion)])]
        .filter((each) => each !== '')
        .join('\n'),
    );
    return [whereOf(thread), quote(thread.quoted), ...said].filter((each) => each !== '').join('\n');
  });
  return [`Changes are requested on ${branch}:`, body.trim(), ...parts]
    .filter((each) => each !== '')
    .join('\n\n');
}

const suggested = (lines: string): string =>
  lines === '' ? 'Suggested: take these lines out.' : `Suggested instead of these lines:\n${fenced(lines)}`;

const quote = (text: string): string =>
  text === ''
    ? ''
    : text
        .split('\n')
        .map((line) => `> ${line}`)
        .join('\n');

/** With more backticks than it holds itself. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
