import { z } from 'zod';
import { defineStream, type Producer, type Route, type StreamMessage } from '../../http/route.ts';
import { byRoute } from '../../store/acting.ts';
import * as input from './inputs.ts';
import type { DispatchHouse } from './house.ts';
import { isOver, readLastEventId } from './rules.ts';
import type { Run } from './run.ts';

/**
 * `GET /v1/biam/subscribe`, as documented: everything after Last-Event-ID, then live, until `terminal`. What was dropped before the
 * reader came shows as a `gap` without an id, which would otherwise set the reader back.
 */
export function subscribeRoute({ acting, dispatch }: DispatchHouse): Route {
  return defineStream({
    method: 'GET',
    path: '/v1/biam/subscribe',
    summary: 'Follow a run: task, frame and terminal events, from the beginning or after Last-Event-ID.',
    tag: 'runs',
    scope: 'runs:read',
    wire: 'documented',
    refusals: ['not_found'],
    query: z.object({ task_id: input.taskId }),
    async open({ query }, { who, lastEventId }) {
      const run = await acting.look(byRoute(who, 'subscribe'), (q) => dispatch.get(q, who, query.task_id));
      return followRun({ dispatch }, run, Math.min(readLastEventId(lastEventId), run.nextEvent - 1));
    },
  });
}

/** What a stream of this run sends. `shape` turns a stored event into what the wire carries. */
export function followRun(
  { dispatch }: Pick<DispatchHouse, 'dispatch'>,
  run: Run,
  after: number,
  shape: (message: StreamMessage) => StreamMessage = (message) => message,
): Producer {
  return async (sink, signal) => {
    // Whoever has seen the last event of a run that is over has seen everything.
    if (isOver(run.state) && after >= run.nextEvent - 1) return;
    let seen = after;
    for await (const { messages, last, gapBefore } of dispatch.channels.follow(run.id, after, signal)) {
      if (gapBefore !== undefined) sink.send(shape(gapMessage(run.id, seen, gapBefore)));
      for (const message of messages) if (!sink.send(shape(message))) return;
      seen = last;
      const draining = sink.drained();
      if (draining) await draining;
    }
  };
}

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
