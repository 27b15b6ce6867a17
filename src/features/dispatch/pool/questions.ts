// What an agent on another machine asks, put to the broker here. A question has a name of its own, so that it is the same one
// whichever hub is asked again.
import type { Log } from '../../../kernel/log.ts';
import type { AskBudget } from '../attempt/permissions.ts';
import type { RunMail } from '../attempt/run-mail.ts';
import type { AcpQuestion } from '../lanes/acp.ts';
import type { Run } from '../run.ts';
import type { Command, WireAsk } from './wire.ts';

export interface RunQuestions {
  /** Asked once, however often it is said; told when any of them has its answer. */
  ask(run: Run, asks: readonly WireAsk[], answered: () => void): void;
  answers(run: Run, asks: readonly WireAsk[]): Command[];
  /** Nobody waits any more. */
  forget(runId: string): void;
}

type QuestionParts = Readonly<{ log: Log; ask: AcpQuestion; askBudget: AskBudget; mail: RunMail }>;

type Open = { answer: Command | undefined; told: Set<() => void>; readonly ending: AbortController };

export function createQuestions({ log, ask: askPermission, askBudget, mail }: QuestionParts): RunQuestions {
  const open = new Map<string, Map<string, Open>>();
  const news = new Map<string, ReturnType<RunMail['listen']>>();
  const keyOf = ({ attempt }: Run, { id }: WireAsk) => `${attempt}:${id}`;

  async function answerTo(run: Run, asked: WireAsk, signal: AbortSignal): Promise<Command> {
    const { id, kind, call = {}, what = '' } = asked;
    if (kind === 'budget') return { kind: 'answer', id, decision: await askBudget(run, what, signal) };
    if (kind === 'permission') {
      const asking = { id: keyOf(run, asked), toolCall: call, signal };
      const { decision, note } = await askPermission({ run, mode: 'safe' }, asking);
      return { kind: 'answer', id, decision, ...(note !== undefined && { text: note }) };
    }
    const listening = news.get(run.id) ?? mail.listen(run, run.lane === 'acp');
    news.set(run.id, listening);
    const text = await (await listening).take();
    return { kind: 'input', id, ...(text !== undefined && { text }) };
  }

  async function settle(run: Run, asked: WireAsk, entry: Open): Promise<void> {
    try {
      entry.answer = await answerTo(run, asked, entry.ending.signal);
    } catch (error) {
      log.warn('a question of a run could not be asked', { run: run.id, error });
      entry.answer = { kind: 'answer', id: asked.id, decision: 'void' };
    }
    for (const tell of entry.told) tell();
  }

  return {
    ask(run, asks, answered) {
      const ofRun = open.get(run.id) ?? new Map<string, Open>();
      open.set(run.id, ofRun);
      for (const asked of asks) {
        const key = keyOf(run, asked);
        const known = ofRun.get(key);
        if (known) {
          known.told.add(answered);
          continue;
        }
        const entry: Open = { answer: undefined, told: new Set([answered]), ending: new AbortController() };
        ofRun.set(key, entry);
        void settle(run, asked, entry);
      }
    },
    answers: (run, asks) => asks.flatMap((each) => open.get(run.id)?.get(keyOf(run, each))?.answer ?? []),
    forget(runId) {
      for (const { ending } of open.get(runId)?.values() ?? []) ending.abort();
      open.delete(runId);
      void news.get(runId)?.then(
        ({ end }) => end(),
        () => undefined,
      );
      news.delete(runId);
    },
  };
}
