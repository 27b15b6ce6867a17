import { expect, it } from 'vitest';
import type { Event, Feed } from './event.ts';
import { keepFollowing } from './keep-following.ts';
import { silentLog } from './log.ts';
import { systemActor } from './principal.ts';

const event = (seq: number): Event => ({
  seq,
  kind: 'task.created',
  subject: `t${seq}`,
  realm: 'hub',
  at: 0,
  actor: systemActor,
  hub: 'h',
});

it('goes on where it was after every trouble, reads anew what it may have missed, and says so once for each', async () => {
  const stop = new AbortController();
  const [heard, from, warnings]: [number[], number[], string[]] = [[], [], []];
  let [heads, begun] = [0, 0];
  const feed = {
    async head() {
      heads += 1;
      if (heads <= 2) throw new Error('no connection became free in time');
      return 6;
    },
    async follow(after: number, deliver: Parameters<Feed['follow']>[1], signal: AbortSignal) {
      from.push(after);
      await deliver([event(after + 1), event(after + 2)]);
      if (from.length < 3) throw new Error('the server was restarted');
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  } as unknown as Feed;
  const log = { ...silentLog, warn: (text: string) => void warnings.push(text) };
  const following = keepFollowing(
    {
      feed,
      log,
      what: 'things',
      begin: async () => void (begun += 1),
      async each(entry) {
        if ('gapBefore' in entry) return;
        heard.push(entry.seq);
        if (heard.length === 6) stop.abort();
      },
    },
    stop.signal,
  );
  await following;
  expect(heard).toEqual([7, 8, 9, 10, 11, 12]);
  expect(from).toEqual([6, 8, 10]);
  expect(begun).toBe(3);
  expect(warnings).toEqual(Array(3).fill('things are not heard of; trying again'));
});

it('what failed while it was looked at is looked at again', async () => {
  const stop = new AbortController();
  const heard: number[] = [];
  const feed = {
    head: async () => 0,
    async follow(after: number, deliver: Parameters<Feed['follow']>[1]) {
      await deliver([event(1), event(2)].filter(({ seq }) => seq > after));
    },
  } as unknown as Feed;
  const each = (entry: object) => {
    heard.push((entry as Event).seq);
    if (heard.length === 2) throw new Error('not now');
  };
  await keepFollowing({ feed, log: silentLog, what: 'things', each }, stop.signal);
  expect(heard).toEqual([1, 2, 2]);
});
