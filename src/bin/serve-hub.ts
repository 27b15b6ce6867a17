import { type Context, signalOf } from '../kernel/context.ts';
import { serveStdio } from './stdio.ts';

/**
 * The whole hub as one MCP server on stdin and stdout, for programs. Resolves when the input ends or the
 * context says stop.
 */
export async function serveHub(context?: Context): Promise<void> {
  await serveStdio('hub', [], { until: signalOf(context) });
}
