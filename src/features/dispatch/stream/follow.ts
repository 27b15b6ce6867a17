import type { Producer, StreamMessage } from '../../../http/route.ts';
import type { Channels } from './channels.ts';

export type Following = Readonly<{
  id: string;
  after: number;
  /** Turns a stored event into what the wire carries; as it is unless given. */
  shape?(message: StreamMessage): StreamMessage;
}>;

/** What a stream of this run sends. */
export function followRun(channels: Channels, { id, after, shape = asIs }: Following): Producer {
  return async (sink, signal) => {
    let seen = after;
    for await (const { messages, last, gapBefore } of channels.follow(id, after, signal)) {
      if (gapBefore !== undefined) sink.send(shape(gapMessage(id, seen, gapBefore)));
      for (const message of messages) if (!sink.send(shape(message))) return;
      seen = last;
      const draining = sink.drained();
      if (draining) await draining;
    }
  };
}

const asIs = (message: StreamMessage): StreamMessage => message;

function gapMessage(runId: string, seen: number, next: number): StreamMessage {
  return {
    event: 'gap',
    data: {
      task_id: runId,
      warning: `${next - seen - 1} events are no longer kept`,
      since_id: seen,
      next_id: next,
    },
  };
}
