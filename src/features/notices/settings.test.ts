import { describe, expect, it } from 'vitest';
import type { Event } from '../../kernel/event.ts';
import { noticeOf } from './notice.ts';
import { isQuiet } from '../../kernel/quiet-hours.ts';
import { readNoticeSettings } from './settings.ts';

describe('settings of notices', () => {
  it.each([
    [{ to: { phone: {} } }, 'notices.to.phone'],
    [{ to: { phone: { ntfy: 'ftp://a.test/x' } } }, 'notices.to.phone.ntfy'],
    [{ to: { phone: { ntfy: 'https://user:word@a.test/x' } } }, 'must not hold a password'],
    [{ to: { phone: { ntfy: 'https://a.test/x', slack: 'https://a.test/y' } } }, 'must have one of'],
    [{ to: { phone: { ntfy: 'https://a.test/x', kinds: ['weather'] } } }, 'notices.to.phone.kinds'],
    [{ to: { phone: { ntfy: 'https://a.test/x', secret: 'x'.repeat(20) } } }, 'belongs to a webhook'],
    [{ quiet: 'at night' }, 'must look like 22:00-07:00'],
    [{ volume: 11 }, 'notices in config.yaml'],
  ])('refuses %j', (given, message) => {
    expect(() => readNoticeSettings(given)).toThrow(message);
  });

  it('is quiet over midnight', () => {
    const at = (hours: number, minutes = 0) => new Date(2026, 0, 1, hours, minutes);
    expect([21, 22, 3, 7].map((hours) => isQuiet('22:00-07:00', at(hours)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect([8, 9, 17].map((hours) => isQuiet('09:00-17:00', at(hours)))).toEqual([false, true, false]);
    expect(isQuiet(undefined, at(3))).toBe(false);
  });
});

it.each([
  ['approval.requested', { tool: 'Bash' }, 'approval', 'Bash waits for your decision (12345678).'],
  ['task.status_changed', { to: 'done' }, 'done', 'Task 12345678 is done, by ada.'],
  ['task.status_changed', { to: 'blocked' }, 'stuck', 'Task 12345678 is blocked, says ada.'],
  [
    'task.released',
    { via: 'lapse', agentId: 'bob' },
    'lapsed',
    'Task 12345678 is free again: bob went silent.',
  ],
  ['source.listed', { changed: 2 }, 'source', 'changed 2 of its tools'],
  ['peer.message_queued', { toAgent: 'user', fromAgent: 'bob' }, 'mail', 'bob wrote to you.'],
  [
    'tool.refused',
    { agentId: 'bob', tool: 'Bash', reason: 'security:exfiltration:pipe-to-shell' },
    'refused',
    'bob was kept from using Bash: security:exfiltration:pipe-to-shell.',
  ],
  ['run.ended', { state: 'failed', agent: 'codex-1' }, 'failed', 'Run 12345678 of codex-1 failed.'],
  ['run.ended', { state: 'expired', agent: 'codex-1' }, 'failed', 'Run 12345678 of codex-1 was lost.'],
] as const)('%s %j is told', (kind, data, told, text) => {
  const event: Event = {
    seq: 1,
    at: 2,
    hub: 'h',
    kind,
    subject: 'abcd-12345678',
    realm: 'hub',
    actor: { id: 'ada', asserted: true },
    data,
  };
  expect(noticeOf(event)).toMatchObject({ kind: told, text: expect.stringContaining(text) });
});

it.each([
  ['task.status_changed', { to: 'in_review' }],
  ['task.released', { via: 'release' }],
  ['source.listed', { changed: 0 }],
  ['peer.message_queued', { toAgent: 'ada' }],
  ['task.created', {}],
  ['run.ended', { state: 'done', agent: 'codex-1' }],
  ['run.ended', { state: 'cancelled', agent: 'codex-1' }],
] as const)('%s %j is not', (kind, data) => {
  const event: Event = {
    seq: 1,
    at: 2,
    hub: 'h',
    kind,
    subject: 'x',
    realm: 'hub',
    actor: { id: 'ada', asserted: true },
    data,
  };
  expect(noticeOf(event)).toBeUndefined();
});
