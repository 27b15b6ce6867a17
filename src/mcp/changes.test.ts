import { expect, test } from 'vitest';
import { sampleServer } from '../../test/fixtures/mcp-server.ts';
import type { Event, Feed } from '../kernel/event.ts';
import { silentLog } from '../kernel/log.ts';
import { systemActor } from '../kernel/principal.ts';
import { createChangeBoard, followFeed, type ServerChange } from './changes.ts';
import { createRegistry } from './registry.ts';

function event(seq: number, kind: string, subject: string, team?: string): Event {
  return {
    seq,
    kind,
    subject,
    realm: 'hub',
    ...(team !== undefined && { team }),
    at: 0,
    actor: systemActor,
    hub: 'h',
  };
}

function feedOf(events: readonly Event[]): Feed {
  return {
    head: async () => 0,
    until: () => Promise.reject(new Error('not used here')),
    async follow(_after, deliver, signal) {
      await deliver([{ gapBefore: 1 }, ...events]);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
    tail: () => {
      throw new Error('not used here');
    },
  };
}

test('events become one notice per list and resource, however many there were', async () => {
  const registry = createRegistry([
    {
      ...sampleServer,
      updatedBy: ({ kind, subject }) => (kind === 'task.claimed' ? [`holdfast://tasks/${subject}`] : []),
    },
    { ...sampleServer, key: 'other', listChangedOn: { prompts: ['prompt.added'] } },
  ]);
  const events = [
    event(1, 'sample.changed', 'a'),
    event(2, 'sample.changed', 'b'),
    event(3, 'task.claimed', 't1', 'red'),
    event(4, 'task.claimed', 't1', 'red'),
    event(4, 'task.claimed', 't1', 'blue'),
    event(5, 'prompt.added', 'p'),
    event(6, 'x', 'y'),
  ];
  const board = createChangeBoard();
  const heard: ServerChange[] = [];
  board.subscribe((change) => heard.push(change));
  const stop = new AbortController();
  const followed = followFeed({ feed: feedOf(events), registry, board, log: silentLog }, stop.signal);
  await expect.poll(() => heard.length).toBeGreaterThan(0);
  stop.abort();
  await followed;
  expect(heard).toEqual([
    { server: 'sample', list: 'tools' },
    {
      server: 'sample',
      uri: 'holdfast://tasks/t1',
      origins: [
        { realm: 'hub', team: 'red' },
        { realm: 'hub', team: 'blue' },
      ],
    },
    { server: 'other', list: 'prompts' },
  ]);
});

test('who unsubscribes hears nothing more', () => {
  const board = createChangeBoard();
  const heard: ServerChange[] = [];
  const stop = board.subscribe((change) => heard.push(change));
  board.publish({ server: 's', list: 'tools' });
  stop();
  board.publish({ server: 's', list: 'tools' });
  expect(heard).toHaveLength(1);
});
