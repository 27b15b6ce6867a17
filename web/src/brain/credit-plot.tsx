import type { ReactNode } from 'react';

export type CreditEvent = Readonly<{
  event_type: string;
  reward: number;
  old_score: number | null;
  new_score: number | null;
  at: string;
}>;

const [WIDTH, HEIGHT, LEFT, FOOT] = [520, 120, 26, 18];

/** How a memory earned and lost its credit: each dot is one time that it helped or did not. Oldest first. */
export function CreditPlot({ events }: Readonly<{ events: readonly CreditEvent[] }>): ReactNode {
  const times = events.map(({ at }) => Date.parse(at));
  const [first, last] = [times[0] ?? 0, times.at(-1) ?? 0];
  const inside = WIDTH - LEFT - 8;
  const points = events.map(({ new_score, reward, event_type }, at) => ({
    // What happened all at once is drawn side by side.
    x: LEFT + inside * (last > first ? (times[at]! - first) / (last - first) : at / (events.length - 1 || 1)),
    y: 6 + (HEIGHT - FOOT - 6) * (1 - Math.min(1, Math.max(0, new_score ?? 0))),
    isLoss: reward < 0,
    title: `${event_type.replaceAll('_', ' ')}: ${reward >= 0 ? '+' : ''}${reward}, now ${new_score ?? 0}`,
  }));
  const line = points
    .map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`)
    .join('');
  const day = (at: number) => new Date(at).toLocaleDateString(undefined, { month: 'short', day: 'numeric' });
  const score = (event: CreditEvent | undefined) => (event?.new_score ?? 0).toFixed(2);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className="mb-2 w-full"
      role="img"
      aria-label={`Credit over time, from ${score(events[0])} to ${score(events.at(-1))}`}
    >
      {[0, 0.5, 1].map((value) => {
        const y = 6 + (HEIGHT - FOOT - 6) * (1 - value);
        return (
          <g key={value}>
            <path d={`M${LEFT} ${y}H${WIDTH - 8}`} className="stroke-line" strokeWidth="1" />
            <text x={LEFT - 6} y={y + 3.5} textAnchor="end" className="fill-faint text-[10px]">
              {value}
            </text>
          </g>
        );
      })}
      <path d={line} fill="none" className="stroke-kelp" strokeWidth="1.500" />
      {points.map(({ x, y, isLoss, title }, at) => (
        <circle
          key={at}
          cx={x}
          cy={y}
          r="3"
          className={isLoss ? 'fill-raised stroke-amber' : 'fill-kelp stroke-kelp'}
          strokeWidth="1.500"
        >
          <title>{title}</title>
        </circle>
      ))}
      <text x={LEFT} y={HEIGHT - 3} className="fill-faint text-[10px]">
        {day(first)}
      </text>
      <text x={WIDTH - 8} y={HEIGHT - 3} textAnchor="end" className="fill-faint text-[10px]">
        {day(last)}
      </text>
    </svg>
  );
}
