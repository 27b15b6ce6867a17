import { HubError } from '../../../kernel/errors.ts';
import type { Question, Reply } from '../../../mcp/ask.ts';
import type { LogLine, UpstreamOptions, UpstreamTarget } from '../../../mcp/upstream/connect.ts';
import type { Upstream } from '../../../mcp/upstream/upstream.ts';

/** One call under way: whose it is, and how that one is asked and told. */
export type RunningLink = Readonly<{
  caller: string;
  ask(question: Question): Promise<Reply>;
  say(line: LogLine): void;
}>;

/**
 * One connection to a source, and the calls on it. Older servers ask without saying for which call: while all calls
 * belong to one caller that is clear, otherwise the question is refused rather than shown to the wrong one.
 */
export interface Link {
  readonly upstream: Upstream;
  run<T>(running: RunningLink, work: (upstream: Upstream) => Promise<T>): Promise<T>;
  isIdle(): boolean;
  close(): Promise<void>;
}

export type LinkParts = Readonly<{
  target: UpstreamTarget;
  options: Omit<UpstreamOptions, 'answer' | 'onLog'>;
}>;

export async function openLink({ target, options }: LinkParts): Promise<Link> {
  const running = new Set<RunningLink>();

  function only(): RunningLink | undefined {
    const [first, ...others] = running;
    return first && others.every(({ caller }) => caller === first.caller) ? [...running].at(-1) : undefined;
  }

  // Who has no sources does not pay for the client.
  const { connectUpstream } = await import('../../../mcp/upstream/connect.ts');
  const upstream = await connectUpstream(target, {
    ...options,
    async answer(question) {
      const one = only();
      if (!one) throw new HubError('unavailable', 'it is not clear whose call this question belongs to');
      return one.ask(question);
    },
    onLog: (line) => only()?.say(line),
  });
  return {
    upstream,
    async run(one, work) {
      running.add(one);
      try {
        return await work(upstream);
      } finally {
        running.delete(one);
      }
    },
    isIdle: () => running.size === 0,
    close: () => upstream.close(),
  };
}
