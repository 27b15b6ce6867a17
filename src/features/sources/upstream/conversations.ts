// Calls at a source that ask their caller something. A parked call goes on with the answer, or ends.
import { sha256 } from '../../../kernel/digest.ts';
import type { Question, Reply } from '../../../mcp/ask.ts';
import type { ToolContext } from '../../../mcp/define.ts';
import { InputRequired } from '../../../mcp/engine/rounds.ts';
import { RpcError } from '../../../mcp/protocol/jsonrpc.ts';

type Questions = Readonly<Record<string, Question>>;
type Replies = Readonly<Record<string, Reply>>;

/** How a call reaches its caller while it runs. It outlives one request where the caller is asked by ending it. */
export type CallLine = Readonly<{
  signal: AbortSignal;
  progress: ToolContext['progress'];
  say: ToolContext['say'];
  ask(questions: Questions): Promise<Replies>;
}>;

/**
 * Calls that ask. A client of 2026-07-28 is asked by ending its call; the call at the source is parked meanwhile and goes on
 * when the client comes back with the answers, so that nothing runs twice.
 */
export interface Conversations {
  hold<T>(key: string, context: ToolContext, begin: (line: CallLine) => Promise<T>): Promise<T>;
  close(): void;
}

type Asked = Readonly<{ questions: Questions; answer(replies: Replies): void; refuse(error: unknown): void }>;
type Outcome = Readonly<{ kind: 'done'; value: unknown } | { kind: 'failed'; error: unknown }>;

const PARKED_MS = 5 * 60_000;
const MOST_PARKED = 500;

class Conversation {
  readonly #over = new AbortController();
  readonly #waiting: Asked[] = [];
  #wake: (() => void) | undefined;
  #context: ToolContext;
  readonly outcome: Promise<Outcome>;
  timer: NodeJS.Timeout | undefined;

  constructor(context: ToolContext, begin: (line: CallLine) => Promise<unknown>) {
    this.#context = context;
    const line: CallLine = {
      signal: this.#over.signal,
      progress: (...report) => this.#context.progress(...report),
      say: (...words) => this.#context.say(...words),
      ask: (questions) =>
        new Promise((answer, refuse) => {
          this.#waiting.push({ questions, answer, refuse });
          this.#wake?.();
        }),
    };
    this.outcome = begin(line).then(
      (value) => ({ kind: 'done', value }),
      (error: unknown) => ({ kind: 'failed', error }),
    );
  }

  /** The next question that nobody has answered. */
  async asked(): Promise<Asked> {
    while (this.#waiting.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#waiting[0]!;
  }

  settled(): void {
    this.#waiting.shift();
  }

  resume(context: ToolContext): void {
    clearTimeout(this.timer);
    this.#context = context;
  }

  end(reason: string): void {
    clearTimeout(this.timer);
    this.#over.abort(new Error(reason));
    for (const { refuse } of this.#waiting) refuse(new Error(reason));
  }
}

export function createConversations(): Conversations {
  const parked = new Map<string, Conversation>();

  function park(key: string, conversation: Conversation): void {
    if (parked.size >= MOST_PARKED) parked.values().next().value?.end('too many calls wait for answers');
    parked.get(key)?.end('the same call was made again');
    parked.set(key, conversation);
    conversation.timer = setTimeout(() => {
      if (parked.get(key) === conversation) parked.delete(key);
      conversation.end('nobody answered');
    }, PARKED_MS);
    conversation.timer.unref();
  }

  return {
    async hold<T>(key: string, context: ToolContext, begin: (line: CallLine) => Promise<T>): Promise<T> {
      const known = parked.get(key);
      parked.delete(key);
      known?.resume(context);
      const conversation = known ?? new Conversation(context, begin);
      const leave = () => conversation.end('the caller gave up');
      context.signal.addEventListener('abort', leave, { once: true });
      try {
        for (;;) {
          const next = await Promise.race([conversation.outcome, conversation.asked()]);
          if ('kind' in next) {
            if (next.kind === 'failed') throw next.error;
            return next.value as T;
          }
          const replies = await context.ask(next.questions).catch((error: unknown) => {
            if (error instanceof InputRequired || error instanceof RpcError) throw error;
            next.refuse(error);
            return undefined;
          });
          conversation.settled();
          if (replies) next.answer(replies);
        }
      } catch (error) {
        if (error instanceof InputRequired) park(key, conversation);
        else conversation.end('the call has failed');
        throw error;
      } finally {
        context.signal.removeEventListener('abort', leave);
      }
    },
    close() {
      for (const conversation of parked.values()) conversation.end('the hub is closing');
      parked.clear();
    },
  };
}

/** Names a question that came without a name, the same each time it is asked. */
export function keyOfQuestion(question: Question): string {
  return `q${sha256(JSON.stringify(question)).slice(0, 12)}`;
}
