import type { FrameReader } from './common.ts';

/** `family: command` says what it likes; whether it succeeded is told by its exit code alone. */
export function createPlainReader(): FrameReader {
  return {
    read: (line) => ({ type: 'text', text: line }),
    verdict: () => undefined,
    sessionId: () => undefined,
    usage: () => undefined,
  };
}
