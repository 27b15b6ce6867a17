import type { ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';
import type { Cluster, Memory } from './queries.ts';

const STEP = 13;
/** Turned by this angle each, points fill a disc evenly, as the seeds of a sunflower do. */
const TURN = Math.PI * (3 - Math.sqrt(5));
const MOST = 300;

type IslandProps = Readonly<{
  cluster: Cluster;
  memories: readonly Memory[];
  /** How much larger than life: few memories need not be small. */
  scale: number;
  isOpen: boolean;
  onOpen(): void;
}>;

/** A cluster: its strongest memories in the middle, what fades at the shore. */
export function Island({ cluster, memories, scale, isOpen, onOpen }: IslandProps): ReactNode {
  const placed = memories
    .toSorted((a, b) => b.strength - a.strength)
    .slice(0, MOST)
    .map((memory, at) => {
      const [far, turn] = [STEP * Math.sqrt(at), at * TURN];
      return { memory, x: far * Math.cos(turn), y: far * Math.sin(turn) };
    });
  const radius = STEP * Math.sqrt(placed.length) + 12;
  const living = memories.filter(({ status }) => status === 'active').length;
  const words = `${memories.length} ${memories.length === 1 ? 'memory' : 'memories'}, ${living} living`;
  return (
    <button
      className={`hover:bg-sunken flex flex-col items-center rounded-one p-2 ${isOpen ? 'bg-chosen' : ''}`}
      aria-pressed={isOpen}
      onClick={onOpen}
    >
      <svg
        width={radius * 2 * scale}
        height={radius * 2 * scale}
        className="max-w-full"
        viewBox={`${-radius} ${-radius} ${radius * 2} ${radius * 2}`}
        aria-hidden="true"
      >
        <circle r={radius - 1} className="fill-kelp-wash" opacity="0.45" />
        {placed.map(({ memory, x, y }) => (
          <Dot key={memory.id} memory={memory} x={x} y={y} />
        ))}
      </svg>
      <span className="mt-1 max-w-44 truncate font-medium">
        <Foreign text={cluster.name} />
      </span>
      <span className="text-meta text-faint">{words}</span>
    </button>
  );
}

function Dot({ memory, x, y }: Readonly<{ memory: Memory; x: number; y: number }>): ReactNode {
  const { importance, strength, status, isPinned, text } = memory;
  const size = 2.2 + 3.6 * Math.min(1, importance);
  const left = importance > 0 ? Math.min(1, strength / importance) : 0;
  return (
    <g transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}>
      <title>{text.slice(0, 160)}</title>
      {status === 'dead' ? (
        <circle r="1.800" className="fill-faint" />
      ) : status === 'dying' ? (
        <circle r={size - 0.7} fill="none" className="stroke-amber" strokeWidth="1.400" />
      ) : (
        <circle r={size} className="fill-kelp" opacity={0.22 + 0.78 * left} />
      )}
      {isPinned && <circle r={size + 2} fill="none" className="stroke-tide" strokeWidth="1.200" />}
    </g>
  );
}
