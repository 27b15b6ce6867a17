import { describe, expect, it } from 'vitest';
import { episodeOf, isSessionLike } from './episodes.ts';

describe('a tag that names an occasion', () => {
  it.each([
    'session_1',
    'session-12',
    'conv-26:session_3',
    'chat:42',
    'meeting 7',
    '2024-05-08',
    'D12',
    's3',
    'issue-17',
    '0190a1b2-aaaa-7bbb-8ccc-000000000000',
    'セッション3',
    'conv-26/session_4',
    'Session 9',
  ])('%s does', (tag) => expect(isSessionLike(tag)).toBe(true));
  it.each([
    'infra',
    'v2',
    'node24',
    'http2',
    'session',
    'preferences',
    'todo',
    'C++',
    '',
    'D3:5',
    'conv-26:D3:5',
    'session_3/turn_5',
    'message-12',
  ])('%s does not', (tag) => expect(isSessionLike(tag)).toBe(false));
});

describe('the episode of an item', () => {
  const date = { year: 2024, month: 5, day: 8 };

  it('is the one named, else that of its session tag, else that of its connection', () => {
    expect(episodeOf({ episode: 'trip', tags: ['session_1'], seat: 'a' }).key).toBe('episode trip');
    expect(episodeOf({ tags: ['session_1', 'infra'], seat: 'a' })).toEqual(
      episodeOf({ tags: ['session_1', 'D1:3'], seat: 'b' }),
    );
    expect(episodeOf({ tags: ['infra'], seat: 'a' }).key).toBe('seat a');
  });

  it('is another one when the same label is used on another day', () => {
    expect(episodeOf({ tags: ['session_1'], seat: '', date })).not.toEqual(
      episodeOf({ tags: ['session_1'], seat: '', date: { ...date, day: 9 } }),
    );
  });
});
