import { describe, expect, it } from 'vitest';
import { DEFAULT_STRATEGY, defaultStrategyText, readStrategy, RULES } from './strategy.ts';

describe('STRATEGY.md', () => {
  it('has the documented defaults', () => {
    expect(DEFAULT_STRATEGY).toMatchObject({
      alpha: 0.1,
      initial_score: 0.5,
      decay_rate: 0.01,
      prune_threshold: 0.2,
      prune_min_age_days: 14,
      promote_threshold: 0.7,
      max_context_budget: 5000,
    });
  });

  it('of a new vault says every default, and reads back as such', () => {
    const text = defaultStrategyText();
    for (const key of Object.keys(RULES)) expect(text).toContain(`${key}: `);
    expect(readStrategy(text)).toEqual(DEFAULT_STRATEGY);
  });

  it.each([
    ['nothing', ''],
    [
      'prose alone',
      '# Rules\n\n- merge if > 50% tag overlap\n- prune when score < 0.2 and older than 14 days\n- never prune X: y',
    ],
    ['a code block of another kind', '```sh\nalpha: 9\n```'],
    ['an empty block', '```yaml\n```'],
  ])('with %s means the defaults', (_what, text) => {
    expect(readStrategy(text)).toEqual(DEFAULT_STRATEGY);
  });

  it('takes yaml and json, between any prose, with either line ending', () => {
    expect(readStrategy('Hello\n\n```yaml\nalpha: 0.2 # bolder\n```\nBye').alpha).toBe(0.2);
    expect(readStrategy('```json\r\n{ "prune_threshold": 0.1 }\r\n```\r\n').prune_threshold).toBe(0.1);
    expect(readStrategy('```YAML\nalpha: 0.3').alpha).toBe(0.3);
    expect(readStrategy('~~~yaml\ncredit_update: documented\n~~~\n').credit_update).toBe('documented');
  });

  it.each([
    [
      'a value out of range',
      'a\n\n```yaml\nalpha: 0.1\nprune_min_age_days: 1\n```',
      'line 5: prune_min_age_days must be a number from 7 to 3650; got 1',
    ],
    [
      'a wrong type',
      '```yaml\nalpha: lots\n```',
      'line 2: alpha must be a number from 0.01 to 1; got "lots"',
    ],
    [
      'a fraction',
      '```yaml\npromote_recurrence: 2.5\n```',
      'line 2: promote_recurrence must be a whole number from 2 to 1000; got 2.5',
    ],
    ['a typo', '```yaml\nalpah: 0.1\n```', 'line 2: unknown key "alpah"; known: alpha, '],
    ['a list', '```yaml\n- alpha\n```', 'line 2: the block must hold keys and values'],
    ['broken YAML', 'x\n```yaml\nalpha: 0.1\nb: [\n```', 'line 5: this is not valid YAML'],
  ])('with %s is refused with its line', (_what, text, message) => {
    expect(() => readStrategy(text)).toThrow(message);
  });
});
