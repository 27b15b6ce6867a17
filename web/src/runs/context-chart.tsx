import type { ReactNode } from 'react';
import type { Trace } from './trace.ts';
import { short } from './usage.tsx';

const [WIDTH, HEIGHT] = [600, 56];

/** How the model's context filled up. Not drawn for a client that tells it less than twice. */
export function ContextChart({ trace }: Readonly<{ trace: Trace }>): ReactNode {
  const { context, window, from = 0, until = from } = trace;
  if (context.length < 2) return null;
  const most = context.reduce((top, { used }) => Math.max(top, used), 0);
  const x = (at: number) => (Math.max(0, at - from) / Math.max(1, until - from)) * WIDTH;
  const y = (used: number) => HEIGHT - 2 - (used / most) * (HEIGHT - 6);
  const line = context.map(({ at, used }) => `${x(at).toFixed(1)},${y(used).toFixed(1)}`).join(' L');
  const end = x(context.at(-1)!.at).toFixed(1);
  const words = `${short(context[0]!.used)} at first, ${short(most)} at most${window === undefined ? '' : ` of ${short(window)}`}`;
  return (
    <figure>
      <figcaption className="text-meta text-faint mb-1">How full is its context? {words}.</figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="text-tide block h-14 w-full"
        role="img"
        aria-label={`Tokens in its context: ${words}`}
      >
        <path
          d={`M${x(context[0]!.at).toFixed(1)},${HEIGHT} L${line} L${end},${HEIGHT} Z`}
          fill="currentColor"
          opacity="0.14"
        />
        <path
          d={`M${line}`}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.500"
          vectorEffect="non-scaling-stroke"
        />
        <path d={`M0,${HEIGHT} H${WIDTH}`} stroke="var(--line)" vectorEffect="non-scaling-stroke" />
      </svg>
    </figure>
  );
}
