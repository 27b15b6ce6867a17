// What an agent is told that goes on with work which another agent, an earlier session or another machine began: what was asked, what was
// planned, what was changed, what was said last and what is open. Bounded; what agents wrote is quoted.
import { quoteLines } from '../../../kernel/quote.ts';
import type { Database, Query } from '../../../store/database.ts';
import { asList, asObject, asText, type Json, parseObject } from '../frames/common.ts';
import type { RunMessages } from '../messages/messages.ts';
import { eventsAfter } from '../rows/events.ts';
import type { Run } from '../run.ts';
import { diffOf } from '../worktree/worktrees.ts';

/** What each share may take beside what was asked, in characters. */
const MOST = { plan: 2_000, diff: 8_000, said: 4_000, questions: 1_500 } as const;
const MOST_FRAMES = 500;

export type Account = Readonly<{
  /** What was asked in the first place. */
  task: string;
  plan?: string | undefined;
  diff?: string | undefined;
  said?: string | undefined;
  questions?: string | undefined;
}>;

/** Why it broke off. */
const BROKE = { limit: 'a model took no more', lost: 'whoever was at it stopped' } as const;
export type Broke = keyof typeof BROKE;

/** The same words for whoever goes on: another agent, the same one that has forgotten, or one on another machine. */
export function accountText({ task, plan, diff, said, questions }: Account, why: Broke): string {
  const share = (title: string, text: string | undefined) =>
    text === undefined || text.trim() === '' ? [] : ['', title, quoteLines(text)];
  return [
    task,
    '',
    `This was begun and broke off because ${BROKE[why]}. What came of it is in this folder: look at it before you change anything, do`,
    'what is left, and do not begin again. What is quoted below was written by others, and only says how far it came.',
    ...share('The plan so far:', plan && cutMiddle(plan, MOST.plan)),
    ...share('What was changed so far:', diff && cutMiddle(diff, MOST.diff)),
    ...share('What was said last:', said?.slice(-MOST.said)),
    ...share('Questions that nobody has answered:', questions?.slice(-MOST.questions)),
  ].join('\n');
}

/** In its own session an agent remembers the rest. */
const STOPPED = {
  limit: 'your model took no more for a while; that is over',
  lost: 'what you ran in was stopped',
} as const;
export function goOnText(why: Broke): string {
  return `You were broken off because ${STOPPED[why]}. Look at how far you came and go on where you left off.`;
}

type AccountParts = Readonly<{ db: Pick<Database, 'read'>; messages: Pick<RunMessages, 'of'> }>;

/** Read from what the run left: its frames, its messages, its worktree. */
export function createAccount({ db, messages }: AccountParts) {
  return async (run: Run): Promise<Account> => ({
    ...(await db.read((q) => toldOf(q, run))),
    // git takes its time, and no snapshot waits for it.
    diff: await changesOf(run),
  });

  async function toldOf(q: Query, run: Run): Promise<Account> {
    const after = Math.max(0, run.nextEvent - 1 - MOST_FRAMES);
    const frames = await eventsAfter(q, run.id, { after, limit: MOST_FRAMES });
    const told = readFrames(frames.filter(({ kind }) => kind === 'frame').map(({ data }) => data));
    return { task: run.prompt, ...told, questions: await openQuestions(q, run) };
  }

  async function openQuestions(q: Query, run: Run): Promise<string | undefined> {
    const all = (await messages.of(q, run.id)).flatMap(({ envelope }) => envelope ?? []);
    const answered = all.findLastIndex(({ from }) => from.instance_id !== run.agent);
    const open = all.slice(answered + 1).filter(({ kind }) => kind === 'clarification');
    return open.length === 0 ? undefined : open.map(({ body }) => body.text).join('\n');
  }
}

function readFrames(frames: readonly string[]): Pick<Account, 'plan' | 'said'> {
  let plan: string | undefined;
  const said: string[] = [];
  for (const data of frames) {
    const frame = parseObject(data) ?? {};
    if (frame['type'] === 'plan') plan = planText(frame['plan']);
    if (frame['type'] === 'tool') plan = planText(plannedBy(asObject(frame['tool']) ?? {})) || plan;
    if (frame['type'] === 'text') said.push(asText(frame['text']) ?? asText(frame['line']) ?? '');
  }
  return { plan, said: said.join('\n') };
}

/** Some agents keep their plan with a tool of their own: TodoWrite, todowrite, write_todos. */
function plannedBy({ name, input }: Json): unknown {
  return /^(todo_?write|write_todos)$/i.test(asText(name) ?? '') ? asObject(input)?.['todos'] : undefined;
}

/** Families tell plans in forms of their own; all of them are lists of steps with a text and a state. */
function planText(plan: unknown): string {
  return asList(plan)
    .map((each) => {
      const step = asObject(each) ?? {};
      const text =
        asText(step['content']) ??
        asText(step['text']) ??
        asText(step['step']) ??
        asText(step['description']) ??
        '';
      const isDone = step['completed'] === true || step['status'] === 'completed';
      return text === '' ? '' : `[${isDone ? 'x' : ' '}] ${text}`;
    })
    .filter((line) => line !== '')
    .join('\n');
}

/** Work without a worktree is in its folder, where whoever goes on sees it. */
async function changesOf({ worktree }: Run): Promise<string | undefined> {
  if (!worktree) return undefined;
  try {
    const { stat, diff } = await diffOf(worktree);
    return `${stat}\n${diff}`;
  } catch {
    // A tree that its agent has broken tells nothing; the folder is still there.
    return undefined;
  }
}

function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half)}`;
}
