import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, Refusal } from '../api/call.ts';
import { useHub } from '../frame/hub.ts';
import { Empty, Skeleton, Unavailable } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { PageHead } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { BeingView } from './being.tsx';

const SIGN_IN = new Refusal(401, {});

export function BeingsPage(): ReactNode {
  const { data: hub } = useHub();
  const { beingId } = useParams({ strict: false });
  const isThere = hub?.rooms.includes('being') === true && hub.isSignedIn;
  const { data, error } = useQuery({
    queryKey: ['beings'],
    enabled: isThere,
    retry: false,
    queryFn: () => ask('GET /v1/beings'),
  });
  const nothing = (
    <>
      <PageHead title="Beings">Personas and what they remember.</PageHead>
      <Empty title="No Being yet" command={'holdfast being create "Ada"'}>
        A Being is a persona with a memory of its own: what it lived through becomes scenes, scenes become
        memories, and what is never recalled fades.
      </Empty>
    </>
  );
  if (!hub) return <Skeleton />;
  if (!hub.rooms.includes('being')) return nothing;
  if (!hub.isSignedIn || error)
    return (
      <Unavailable error={error ?? SIGN_IN} what="Beings">
        {nothing}
      </Unavailable>
    );
  if (!data) return <Skeleton />;
  if (data.beings.length === 0) return nothing;
  const chosen = data.beings.find(({ id }) => id === beingId);
  if (beingId !== undefined)
    return chosen ? (
      <BeingView key={chosen.id} being={chosen} />
    ) : (
      <Empty isPage title="There is no such Being">
        It was deleted, or the address is wrong. <Link to="/beings">All Beings</Link>
      </Empty>
    );
  return (
    <>
      <PageHead title="Beings">Personas and what they remember.</PageHead>
      <ul className="border-line border-t">
        {data.beings.map(({ id, name, owner, updatedAt }) => (
          <li key={id} className="border-line border-b">
            <Link to="/beings/$beingId" params={{ beingId: id }} className="row hover:bg-sunken px-4">
              <span className="font-medium">
                <Foreign text={name} />
              </span>
              <span className="text-soft">
                <Foreign text={owner} />
              </span>
              <Moment at={updatedAt} className="ml-auto" />
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
