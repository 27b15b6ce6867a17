import { describe, expect, it } from 'vitest';
import { resetTimeIn } from './reset-time.ts';

const now = Date.parse('2026-11-18T12:45:33Z');
const read = (text: string, zone = 'UTC') => {
  const found = resetTimeIn(text, { now, zone });
  return found === undefined ? undefined : new Date(found).toISOString();
};

describe('when a limit is over, in words of the clients', () => {
  it.each([
    ["You've hit your 5-hour limit · resets 2:45pm (UTC)", '2026-11-18T14:45:00.000Z'],
    ["You've hit your limit · resets 3am (Europe/Oslo)", '2026-11-19T02:00:00.000Z'],
    ["You've hit your weekly limit · resets Nov 20, 3pm (Europe/Oslo)", '2026-11-20T14:00:00.000Z'],
    ["You've hit your weekly limit · resets Jan 2, 9am (UTC)", '2027-01-02T09:00:00.000Z'],
    ['5-hour limit reached ∙ resets 2am', '2026-11-19T02:00:00.000Z'],
    ['Claude AI usage limit reached|1795013133', '2026-11-18T14:45:33.000Z'],
    ['purchase more credits or try again at 2:45 PM.', '2026-11-18T14:45:00.000Z'],
    ['or try again at Jul 5th, 2027 8:19 PM.', '2027-07-05T20:19:00.000Z'],
    ['or try again at 12:45 PM.', '2026-11-18T12:45:00.000Z'],
    ['try again in 5 days 22 hours 11 minutes.', '2026-11-24T10:56:33.000Z'],
    ['Please try again in 6.1s. Visit …', '2026-11-18T12:45:39.100Z'],
    ['Please retry in 34.074824224s.', '2026-11-18T12:46:07.075Z'],
    ['wait a bit\nretry-after: 40', '2026-11-18T12:46:13.000Z'],
    ['You have exhausted your daily quota on this model.', '2026-11-19T08:00:00.000Z'],
  ])('%s', (text, at) => expect(read(text)).toBe(at));

  it.each([
    'API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment.',
    'exceeded retry limit, last status: 429 Too Many Requests',
    'This request would exceed the rate limit for your organization of 50 requests per minute.',
    'Selected model is at capacity. Please try a different model.',
    'resets 99:99pm (Nowhere/Land)',
    'resets Foo 20, 3pm',
    '',
  ])('says none: %s', (text) => expect(read(text)).toBeUndefined());

  it('a time of the clock is one of the zone in which the client runs', () => {
    expect(read('try again at 2:45 PM.', 'America/New_York')).toBe('2026-11-18T19:45:00.000Z');
    expect(read('try again at 2:45 PM.', 'Asia/Tokyo')).toBe('2026-11-19T05:45:00.000Z');
  });
});
