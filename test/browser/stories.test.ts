import { describe, expect, it } from 'vitest';
import type { Event as HubEvent } from '../../src/kernel/event.ts';
import { entriesOf } from '../../web/src/now/stories.ts';
import { told } from '../../web/src/now/told.ts';

let seq = 0;
const MIN = 60_000;
const event = (kind: string, subject: string, data: object = {}, at = seq): HubEvent => ({
  seq: (seq += 1),
  at,
  kind,
  subject,
  actor: { id: 'codex', asserted: false },
  realm: 'hub',
  hub: '',
  data: data as NonNullable<HubEvent['data']>,
});
const tell = (events: readonly HubEvent[]) =>
  entriesOf(events.toReversed(), (run) => (run === 'r1' ? 'fix' : undefined)).map((entry) =>
    'story' in entry
      ? `${entry.story.key}: ${entry.story.lead.kind}${entry.story.rest}${entry.story.isBad ? ' !' : ''}`
      : entry.event.kind,
  );
const moved = (to: string, at: number) =>
  event('task.status_changed', 'fix', { from: 'in_progress', to }, at);

describe('what happened, as stories', () => {
  it('is one entry a task that grows, with the result in it', () => {
    const begun = [
      event('task.created', 'fix', {}, 0),
      event('task.claimed', 'fix', { agentId: 'codex' }, MIN),
      event('run.started', 'r1', {}, MIN),
      event('task.evidence_given', 'fix', { passed: true }, 5 * MIN),
      event('task.evidence_given', 'fix', { passed: true }, 6 * MIN),
      event('memory.saved', 'm', {}, 6 * MIN),
    ];
    expect(tell(begun)).toEqual(['memory.saved', 'fix: task.claimed: 2 checks passed']);
    const handed = [...begun, moved('in_review', 15 * MIN)];
    expect(tell(handed)).toEqual([
      'fix: task.status_changed in 14 min: 2 checks passed, waits for review',
      'memory.saved',
    ]);
    const failed = [
      ...handed,
      event('landing.changed', 'landing', { taskId: 'fix', state: 'failed' }, 20 * MIN),
    ];
    expect(tell(failed)[0]).toBe('fix: landing.changed in 19 min: 2 checks passed !');
    // Taken up again, it is under way and not failed.
    const again = [...failed, event('task.claimed', 'fix', {}, 30 * MIN)];
    expect(tell(again)[0]).toBe('fix: task.claimed: 2 checks passed');
    expect(tell([...again, moved('done', 60 * MIN)])[0]).toBe(
      'fix: task.status_changed in 30 min: 2 checks passed',
    );
  });

  it('what went wrong leads, and what happened once stays a sentence', () => {
    expect(
      tell([
        event('run.started', 'r2'),
        event('run.ended', 'r2', { state: 'failed' }),
        event('task.created', 'x'),
      ]),
    ).toEqual(['task.created', 'r2: run.ended !']);
    const many = ['a', 'b', 'c', 'd', 'e'].map((id) => event('task.created', id));
    expect(tell(many)).toEqual(['task.created']);
  });

  it('a request and what was decided about it are one entry, which says who may use what', () => {
    const asked = event('approval.requested', 'q', { tool: 'Bash', agentId: 'codex' }, 0);
    const denied = event('approval.resolved', 'q', { ...asked.data, decision: 'deny' }, 4 * MIN);
    expect(tell([asked])).toEqual(['approval.requested']);
    expect(tell([asked, denied])).toEqual(['q: approval.resolved in 4 min']);
    expect(told(denied)).toBe('{who} did not let {agent} use {tool}');
    expect(told(event('approval.resolved', 'old', { tool: 'Bash' }))).toBe('{who} decided a request');
    const lapsed = event('approval.expired', 'p', { tool: 'Bash', agentId: 'codex' });
    expect(tell([event('approval.requested', 'p'), lapsed])).toEqual(['p: approval.expired !']);
  });
});
