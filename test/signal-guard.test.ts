import { expect, it } from 'vitest';

it('a test cannot end the test run by a number it misread', () => {
  for (const pid of [0, -1, 1, process.ppid])
    expect(() => process.kill(pid)).toThrow('A test wanted to send');
  expect(process.kill(process.pid, 0)).toBe(true);
});
