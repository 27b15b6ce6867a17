import type { ReactNode } from 'react';
import { shownName } from '../parts/agent.tsx';
import { useRoom } from './picture.tsx';
import type { Pulse } from './queries.ts';

type Lane = Pulse['lanes'][number];

const DAY_MS = 86_400_000;
const [ROW, LEFT, FOOT] = [22, 110, 20];
const MOST = 12;

const hour = (at: number) =>
  new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

const shortened = (name: string) => (name.length > 16 ? `${name.slice(0, 15)}…` : name);

/** Who held what, over the last day: one lane an agent. */
export function Lanes({
  label,
  lanes,
  now,
}: Readonly<{ label: string; lanes: readonly Lane[]; now: number }>): ReactNode {
  const [box, width] = useRoom();
  const agents = inOrder(lanes);
  const shown = agents.slice(0, MOST);
  const begin = now - DAY_MS;
  const x = (at: number) => LEFT + ((Math.max(begin, at) - begin) / DAY_MS) * (width - LEFT - 8);
  const height = Math.max(3, shown.length) * ROW + FOOT;
  const hours = [0, 6, 12, 18, 24].map((each) => begin + each * 3_600_000);
  return (
    <div ref={box} className="max-w-[600px]">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} className="block h-auto w-full">
        {hours.map((at, index) => (
          <g key={at}>
            <line x1={x(at)} x2={x(at)} y1={0} y2={height - FOOT} className="stroke-line" />
            <text
              x={x(at)}
              y={height - 5}
              textAnchor={index === 4 ? 'end' : 'middle'}
              className="fill-faint text-[11px]"
            >
              {index === 4 ? 'now' : hour(at)}
            </text>
          </g>
        ))}
        {shown.map(([agent, own], row) => (
          <g key={agent}>
            <text x={0} y={row * ROW + 15} className="fill-soft text-[11px]">
              {shortened(shownName(agent))}
            </text>
            {own.map((lane) => {
              const to = lane.to ?? now;
              const isBad = lane.end === 'lapse' || lane.end === 'takeover' || lane.end === 'revoke';
              return (
                <rect
                  key={`${lane.from} ${lane.task}`}
                  x={x(lane.from)}
                  y={row * ROW + 5}
                  width={Math.max(2, x(to) - x(lane.from))}
                  height={ROW - 10}
                  rx={3}
                  className={`stroke-ground ${lane.to === null ? 'fill-tide' : isBad ? 'fill-amber' : 'fill-kelp'}`}
                >
                  <title>{`${agent}: ${lane.task}, ${hour(lane.from)} to ${lane.to === null ? 'now' : hour(to)}`}</title>
                </rect>
              );
            })}
          </g>
        ))}
      </svg>
      {agents.length > MOST && (
        <p className="text-meta text-faint">and {agents.length - MOST} more agents in the table</p>
      )}
    </div>
  );
}

/** Who was at it longest comes first. */
function inOrder(lanes: readonly Lane[]): readonly (readonly [string, readonly Lane[]])[] {
  const time = (own: readonly Lane[]) =>
    own.reduce((all, { from, to }) => all + ((to ?? Date.now()) - from), 0);
  return [...Map.groupBy(lanes, ({ agent }) => agent)].sort(([, a], [, b]) => time(b) - time(a));
}
