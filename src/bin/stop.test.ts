import { afterEach, expect, it, vi } from 'vitest';
import { createStop } from './stop.ts';

afterEach(() => vi.useRealTimers());

it('takes the echoes of one signal for one, and a later signal at its word', () => {
  vi.useFakeTimers();
  const interrupt = new AbortController();
  const exit = vi.fn();
  const stop = createStop(interrupt, exit);
  for (let i = 0; i < 3; i += 1) stop();
  expect(interrupt.signal.aborted).toBe(true);
  expect(exit).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1500);
  stop();
  expect(exit).toHaveBeenCalledExactlyOnceWith(130);
});
