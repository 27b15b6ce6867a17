import type { ReactNode } from 'react';
import { useRoom } from './picture.tsx';
import { niceTop } from './say.ts';

export type Series = Readonly<{ name: string; fill: Fill; values: readonly number[] }>;
export type Line = Readonly<{
  name: string;
  values: readonly (number | null)[];
  say(value: number): string;
}>;
export type Fill = keyof typeof FILLS;

/** Colour is never the only sign: what is stacked above something else is also hatched, or stands in the legend in order. */
const FILLS = {
  kelp: 'fill-kelp',
  tide: 'fill-tide',
  amber: 'fill-amber',
  soft: 'fill-soft',
  faint: 'fill-faint',
  edge: 'fill-edge',
} as const;

export const PALETTE: readonly Fill[] = ['tide', 'kelp', 'soft', 'edge', 'amber', 'faint'];

const HEIGHT = 160;
/** So much room has a day below its bar. */
const TICK = 68;
const [LEFT, RIGHT, TOP, FOOT] = [44, 52, 10, 22];

type BarsProps = Readonly<{
  label: string;
  /** What stands under each bar. */
  ticks: readonly string[];
  series: readonly Series[];
  line?: Line | undefined;
  say(value: number): string;
}>;

/** Stacked bars by day, and a line over them where something else is measured. Drawn by hand: it is all we need. */
export function Bars({ label, ticks, series, line, say }: BarsProps): ReactNode {
  const [box, width] = useRoom();
  const sums = ticks.map((_, at) => series.reduce((all, { values }) => all + (values[at] ?? 0), 0));
  const most = niceTop(Math.max(...sums, 0));
  const top = niceTop(Math.max(...(line?.values ?? []).map((value) => value ?? 0), 0));
  const inner = { width: width - LEFT - RIGHT, height: HEIGHT - TOP - FOOT };
  const step = inner.width / Math.max(1, ticks.length);
  const bar = Math.min(34, step * 0.7);
  const y = (value: number, of: number) => TOP + inner.height * (1 - (of === 0 ? 0 : value / of));
  const x = (at: number) => LEFT + step * (at + 0.5);
  const every = Math.ceil(ticks.length / Math.max(1, Math.floor(inner.width / TICK)));
  const points = (line?.values ?? []).flatMap((value, at) =>
    value === null ? [] : [[x(at), y(value, top), value, at] as const],
  );
  return (
    <div ref={box} className="max-w-[600px]">
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={label} className="block h-auto w-full">
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line
              x1={LEFT}
              x2={width - RIGHT}
              y1={y(most * part, most)}
              y2={y(most * part, most)}
              className="stroke-line"
              strokeWidth={1}
            />
            {(part > 0 || most === 0) && !isHalf(say(most * part)) && (
              <text
                x={LEFT - 6}
                y={y(most * part, most) + 4}
                textAnchor="end"
                className="fill-faint text-[11px]"
              >
                {say(most * part)}
              </text>
            )}
          </g>
        ))}
        {ticks.map((tick, at) => {
          let below = 0;
          return (
            <g key={at}>
              {series.map(({ name, fill, values }) => {
                const value = values[at] ?? 0;
                const from = below;
                below += value;
                return value === 0 ? null : (
                  <rect
                    key={name}
                    x={x(at) - bar / 2}
                    width={bar}
                    y={y(below, most)}
                    height={Math.max(1, y(from, most) - y(below, most))}
                    rx={2}
                    className={`${FILLS[fill]} stroke-ground`}
                    strokeWidth={0.75}
                  >
                    <title>{`${tick}: ${name} ${say(value)}`}</title>
                  </rect>
                );
              })}
              {at % every === (ticks.length - 1) % every && (
                <text x={x(at)} y={HEIGHT - 6} textAnchor="middle" className="fill-faint text-[11px]">
                  {tick}
                </text>
              )}
            </g>
          );
        })}
        {line && top > 0 && (
          <>
            <polyline
              points={points.map(([px, py]) => `${px},${py}`).join(' ')}
              fill="none"
              className="stroke-ink"
              strokeWidth={1.5}
              strokeDasharray="3 3"
            />
            {points.map(([px, py, value, at]) => (
              <circle key={at} cx={px} cy={py} r={3} className="fill-ground stroke-ink" strokeWidth={1.5}>
                <title>{`${ticks[at]}: ${line.name} ${line.say(value)}`}</title>
              </circle>
            ))}
            <text x={width - RIGHT + 6} y={TOP + 4} className="fill-faint text-[11px]">
              {line.say(top)}
            </text>
          </>
        )}
      </svg>
    </div>
  );
}

/** What is counted one by one has no half: `2.5` tasks. */
const isHalf = (said: string) => /^\d+\.\d+$/.test(said);

export function Legend({
  series,
  line,
}: Readonly<{ series: readonly Series[]; line?: Line | undefined }>): ReactNode {
  if (series.length + (line ? 1 : 0) < 2) return null;
  return (
    <ul className="text-meta text-soft flex flex-wrap gap-x-4 gap-y-0.5" aria-label="Legend">
      {series.map(({ name, fill }) => (
        <li key={name} className="flex items-center gap-1.5">
          <svg width="10" height="10" aria-hidden="true">
            <rect width="10" height="10" rx="2" className={FILLS[fill]} />
          </svg>
          {name}
        </li>
      ))}
      {line && (
        <li className="flex items-center gap-1.5">
          <svg width="16" height="10" aria-hidden="true">
            <path d="M0 5h16" className="stroke-ink" strokeWidth={1.5} strokeDasharray="3 3" />
            <circle cx="8" cy="5" r="2.5" className="fill-ground stroke-ink" />
          </svg>
          {line.name} (right)
        </li>
      )}
    </ul>
  );
}
