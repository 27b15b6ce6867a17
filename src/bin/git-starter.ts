// The process that starts git for a hub, so that the hub need not stand still for it. It ends with whoever started it.
import { startHere } from '../kernel/git/start-here.ts';
import type { StarterAnswer, StarterAsk } from '../kernel/git/starter.ts';

const running = new Map<number, AbortController>();

process.on('message', (asked: StarterAsk) => {
  if ('isUnwanted' in asked) running.get(asked.id)?.abort();
  else void start(asked);
});

async function start({ id, start: asked }: Extract<StarterAsk, { start: unknown }>): Promise<void> {
  const stop = new AbortController();
  running.set(id, stop);
  const end = await startHere(asked, stop.signal);
  running.delete(id);
  const answer: StarterAnswer = { id, end };
  // Without anybody to tell there is nothing to do any more.
  if (process.connected) process.send!(answer, () => undefined);
}

// A signal for the whole group of a terminal is the hub's to answer; it goes with the hub.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('disconnect', () => process.exit());
process.send!('ready');
