import { duplexPair } from 'node:stream';
import { serveStream, type StreamParts } from './stream.ts';
import type { Backend } from './shim.ts';

/** The engine in this very process, behind a pipe in memory. `ended` resolves when its last answer is out. */
export function openLocalBackend(
  parts: Omit<StreamParts, 'input' | 'output'>,
): Backend & Readonly<{ ended: Promise<void> }> {
  const [near, far] = duplexPair();
  return { kind: 'local', stream: near, ended: serveStream({ ...parts, input: far, output: far }) };
}
