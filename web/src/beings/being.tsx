import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePlace, useSetPlace } from '../frame/place.ts';
import { PageHead, Switch } from '../parts/page.tsx';
import { MemoryMap } from './map.tsx';
import { Papers } from './papers.tsx';
import { Patrols } from './patrols.tsx';
import type { Being } from './queries.ts';
import { Soul } from './soul.tsx';
import { Tokens } from './tokens.tsx';

const VIEWS = [
  ['map', 'Memories'],
  ['soul', 'Soul'],
  ['papers', 'Papers'],
  ['patrols', 'Patrols'],
  ['tokens', 'Tokens'],
] as const;

/** One Being: what it remembers and how much of that is left, who it is, what it wrote down, who may speak for it. */
export function BeingView({ being: { id, name, owner } }: Readonly<{ being: Being }>): ReactNode {
  const { view = 'map' } = usePlace();
  const setPlace = useSetPlace();
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="border-line mb-3 border-b">
        <PageHead
          title={name}
          aside={
            <Switch
              label="What of it"
              value={view}
              options={VIEWS}
              onChange={(next) => setPlace({ view: next === 'map' ? undefined : next, at: undefined }, true)}
            />
          }
        >
          {owner === 'local' ? 'yours' : `of ${owner}`} ·{' '}
          <Link to="/beings" className="text-tide hover:underline">
            all Beings
          </Link>
        </PageHead>
      </div>
      {view === 'soul' ? (
        <Soul id={id} />
      ) : view === 'papers' ? (
        <Papers id={id} />
      ) : view === 'patrols' ? (
        <Patrols id={id} />
      ) : view === 'tokens' ? (
        <Tokens id={id} />
      ) : (
        <MemoryMap id={id} />
      )}
    </div>
  );
}
