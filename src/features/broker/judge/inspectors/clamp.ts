import type { Args, Inspector } from './inspector.ts';

const COUNTS = new Set(['limit', 'max', 'count', 'maxResults', 'top_k', 'topK']);
const CEILING = 1_000;

/** Asks for more than a thousand of anything are met with a thousand. The answer and the audit say so. */
export const inspectClamps: Inspector = ({ args }) => {
  const high = Object.entries(args).filter(
    ([name, value]) => COUNTS.has(name) && typeof value === 'number' && value > CEILING,
  );
  if (high.length === 0) return [];
  const clamped: Args = { ...args, ...Object.fromEntries(high.map(([name]) => [name, CEILING])) };
  return [
    {
      verdict: 'rewrite',
      reason: `clamp:${high.map(([name]) => `${name}=${CEILING}`).join(',')}`,
      args: clamped,
    },
  ];
};
