import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, isMissing, Refusal } from '../api/call.ts';
import { useHub } from '../frame/hub.ts';
import { Empty } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Table, View, ViewClosed, ViewUnready } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { AddBeing } from './add.tsx';
import { BeingView } from './being.tsx';

const ABOUT = 'Personas and what they remember.';
const COLUMNS = [
  ['Being', 'minmax(0,1fr)'],
  ['Owner', 'minmax(0,1fr)'],
  ['Changed', '6rem'],
] as const;

const SIGN_IN = new Refusal(401, {});

export function BeingsPage(): ReactNode {
  const { data: hub } = useHub();
  const { beingId } = useParams({ strict: false });
  const isThere = hub?.rooms.includes('being') === true && hub.isSignedIn;
  const { data, error } = useQuery({
    queryKey: ['beings'],
    enabled: isThere,
    queryFn: () => ask('GET /v1/beings'),
  });
  const [isAdding, setAdding] = useState(false);
  const create = (
    <button className="button button-main" onClick={() => setAdding(true)}>
      <Icon name="plus" size={12} />
      New Being
    </button>
  );
  const adding = isAdding && <AddBeing onClose={() => setAdding(false)} />;
  const nothing = (
    <View title="Beings" about={ABOUT}>
      {adding}
      <Empty
        title="No Being yet"
        command={'holdfast being create "Ada"'}
        action={isThere && !isAdding && create}
      >
        A Being is a persona with a memory of its own: what it lived through becomes scenes, scenes become
        memories, and what is never recalled fades.
      </Empty>
    </View>
  );
  if (!hub) return <ViewUnready />;
  if (!hub.rooms.includes('being')) return nothing;
  if (isMissing(error)) return nothing;
  if (!hub.isSignedIn || error) return <ViewClosed error={error ?? SIGN_IN} what="Beings" />;
  if (!data) return <ViewUnready />;
  const chosen = data.beings.find(({ id }) => id === beingId);
  if (beingId !== undefined)
    return chosen ? (
      <BeingView key={chosen.id} being={chosen} />
    ) : (
      <View title="Beings" about={ABOUT}>
        <Empty
          title="There is no such Being"
          action={
            <Link to="/beings" className="button button-main">
              All Beings
            </Link>
          }
        >
          It was deleted, or the address is wrong.
        </Empty>
      </View>
    );
  if (data.beings.length === 0) return nothing;
  return (
    <View title="Beings" about={ABOUT} aside={!isAdding && create}>
      {adding}
      <Table label="Beings" columns={COLUMNS}>
        {data.beings.map(({ id, name, owner, updatedAt }) => (
          <li key={id}>
            <Link to="/beings/$beingId" params={{ beingId: id }} className="cells hover:bg-sunken">
              <span className="truncate font-medium">
                <Foreign text={name} />
              </span>
              <span className="text-soft truncate">
                <Foreign text={owner === 'local' ? 'you' : owner} />
              </span>
              <Moment at={updatedAt} />
            </Link>
          </li>
        ))}
      </Table>
    </View>
  );
}
