import { describe, expect, it } from 'vitest';
import type { Event as HubEvent } from '../../src/kernel/event.ts';
import { folded } from '../../web/src/now/folded.ts';
import { told } from '../../web/src/now/told.ts';

let seq = 0;
const event = (kind: string, subject: string, data: object = {}, actor = 'ada'): HubEvent => ({
  seq: (seq += 1),
  at: seq,
  kind,
  subject,
  actor: { id: actor, via: 'mcp' } as unknown as HubEvent['actor'],
  realm: 'hub',
  hub: '',
  data: data as NonNullable<HubEvent['data']>,
});

describe('what happened, in sentences', () => {
  it('the same thing again is told once, with how often', () => {
    const said = folded([
      event('task.commented', 'a'),
      event('task.commented', 'a'),
      event('task.commented', 'b'),
    ]);
    expect(said.map(({ subject, times }) => [subject, times])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });

  it('what is done to a whole board is one sentence; a few tasks keep their names', () => {
    const many = folded(['a', 'b', 'c', 'd', 'e'].map((id) => event('task.created', id)));
    expect(many).toMatchObject([{ subject: 'a', others: 4, times: 1, isCut: false }]);
    // Of a board of thousands not all of it is known here: then there were at least so many.
    const some = ['a', 'b', 'c', 'd'].map((id) => event('task.imported', id)).toReversed();
    expect(folded(some, some.at(-1)!.seq)).toMatchObject([{ others: 3, isCut: true }]);
    const few = folded(['a', 'b', 'c'].map((id) => event('task.created', id)));
    expect(few).toMatchObject([{ others: 0 }, { others: 0 }, { others: 0 }]);
    const moved = ['a', 'b', 'c', 'd'].map((id, at) =>
      event('task.status_changed', id, { from: 'todo', to: at < 3 ? 'done' : 'cancelled' }),
    );
    expect(folded(moved)).toHaveLength(4);
  });

  it('letters to different people stay apart, as do deeds of different people', () => {
    const letters = ['bo', 'bo', 'cy'].map((toAgent) => event('peer.message_queued', 'm', { toAgent }));
    expect(folded(letters).map(({ times }) => times)).toEqual([2, 1]);
    expect(folded([event('memory.saved', 'x'), event('memory.saved', 'y', {}, 'bo')])).toHaveLength(2);
  });

  it('says nothing of what is too small, or told elsewhere', () => {
    expect(told(event('task.status_changed', 'a', { from: 'todo', to: 'in_progress' }))).toBeUndefined();
    expect(told(event('chat.posted', 'team:pier', { kind: 'system' }))).toBeUndefined();
    expect(told(event('task.status_changed', 'a', { from: 'in_review', to: 'done' }))).toBe(
      '{who} finished {thing}',
    );
    expect(told(event('chat.posted', 'team:pier'))).toBe('{who} posted in the room of {room}');
  });
});
