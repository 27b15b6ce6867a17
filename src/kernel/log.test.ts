import { expect, it } from 'vitest';
import { createLog } from './log.ts';

it('an entry is one line that steers no terminal, whatever a caller had written into it', () => {
  const lines: string[] = [];
  const log = createLog('info', (line) => void lines.push(line));
  log.warn('a\n2026 error forged\u001b[2J', { body: 'x\u009b31m\u202ey\u2028\u{e0041}' });
  const [line] = lines;
  expect(lines).toHaveLength(1);
  expect(line).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u2028\u202e\u{e0000}-\u{e007f}]*\n$/u);
  expect(line).toContain(
    String.raw`a\u000a2026 error forged\u001b[2J {"body":"x\u009b31m\u202ey\u2028\udb40\udc41"}`,
  );
});
