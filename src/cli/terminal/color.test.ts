import { describe, expect, it } from 'vitest';
import { isColored, paint, takeColor, withColor } from './color.ts';
import { forScreen } from './screen.ts';

describe('colour', () => {
  it('is painted after everything else that steers a screen is made harmless', () => {
    const line = `${paint('red', 'fail')} \u001b[31mfaked`;
    expect(withColor(forScreen(line), true)).toBe('\u001b[31mfail\u001b[0m \\u001b[31mfaked');
    expect(withColor(line, false)).toBe('fail \u001b[31mfaked');
  });

  it.each([
    ['auto', true, {}, true],
    ['auto', false, {}, false],
    ['auto', true, { NO_COLOR: '1' }, false],
    ['auto', true, { NO_COLOR: '' }, true],
    ['auto', true, { TERM: 'dumb' }, false],
    ['auto', false, { FORCE_COLOR: '1' }, true],
    ['always', false, { NO_COLOR: '1' }, true],
    ['never', true, { FORCE_COLOR: '1' }, false],
  ] as const)('%s on a terminal (%j) with %j is %j', (when, isTTY, env, expected) => {
    expect(isColored(when, { isTTY, env })).toBe(expected);
  });

  it('is asked for anywhere on the line, but not behind --', () => {
    expect(takeColor(['board', '--color=never', 'list'])).toEqual({ when: 'never', rest: ['board', 'list'] });
    expect(takeColor(['board', 'add', '--', '--color'])).toEqual({
      when: 'auto',
      rest: ['board', 'add', '--', '--color'],
    });
    expect(takeColor(['--color', 'status'])).toEqual({ when: 'always', rest: ['status'] });
    expect(takeColor(['--color=blue']).problem).toContain('got "blue"');
  });
});
