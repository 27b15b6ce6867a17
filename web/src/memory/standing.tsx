import type { ReactNode } from 'react';
import type { MemoryHit } from '../../../src/features/memory/fact.ts';
import { Foreign } from '../parts/foreign.tsx';
import { Moment } from '../parts/time.tsx';

type Standing = Pick<MemoryHit, 'cites' | 'confirmed' | 'holds'>;
type Cite = NonNullable<Standing['cites']>[number];

/** Colour is never the only sign: each says in words how it stands. */
const LOOKS: Readonly<Record<Cite['state'], readonly [string, string]>> = {
  fresh: ['text-kelp', 'still stands'],
  moved: ['text-soft', 'has moved'],
  changed: ['text-amber', 'has changed'],
  gone: ['text-amber', 'is gone'],
  unknown: ['text-faint', 'could not be looked up'],
};

/** How far a fact can be trusted: the code it cites, or who said last that it holds. */
export function Standings({ cites = [], confirmed, holds }: Standing): ReactNode {
  return (
    <span className="text-meta text-faint flex flex-wrap gap-x-3">
      {cites.map((cite) => (
        <Cited key={`${cite.path}:${cite.from}-${cite.to}`} cite={cite} />
      ))}
      {confirmed && (
        <span>
          holds, says <Foreign text={confirmed.by} /> <Moment at={confirmed.at} />
        </span>
      )}
      {holds !== undefined && (
        <span>
          <Foreign text={holds} />
        </span>
      )}
    </span>
  );
}

function Cited({ cite }: Readonly<{ cite: Cite }>): ReactNode {
  const [colour, words] = LOOKS[cite.state];
  return (
    <span>
      <code>
        <Foreign text={spanOf(cite)} />
      </code>{' '}
      <span className={colour}>{words}</span>
      {cite.now && cite.state !== 'fresh' && (
        <>
          {' '}
          to{' '}
          <code>
            <Foreign text={spanOf(cite.now)} />
          </code>
        </>
      )}
    </span>
  );
}

function spanOf({ path, from, to }: Readonly<{ path: string; from: number; to: number }>): string {
  return `${path}:${from}${from === to ? '' : `–${to}`}`;
}
