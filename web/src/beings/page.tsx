import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call, Refusal } from '../api/call.ts';
import { useHub } from '../frame/hub.ts';
import { Drawer, Section } from '../parts/drawer.tsx';
import { Empty, Refused, Skeleton, Unavailable } from '../parts/empty.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { PageHead } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';

type Being = Readonly<{ id: string; name: string; owner: string; createdAt: number; updatedAt: number }>;
type Patrol = Readonly<{
  runs: { id: string; state: string; startedAt: number; steps: { step: string; outcome: string }[] }[];
}>;

const SIGN_IN = new Refusal(401, {});

export function BeingsPage(): ReactNode {
  const { data: hub } = useHub();
  const { beingId } = useParams({ strict: false });
  const navigate = useNavigate();
  const isThere = hub?.rooms.includes('being') === true && hub.isSignedIn;
  const { data, error } = useQuery({
    queryKey: ['beings'],
    enabled: isThere,
    retry: false,
    queryFn: () => call<{ beings: Being[] }>('/v1/beings'),
  });
  const nothing = (
    <Empty isPage title="No Being yet" command={'holdfast being create "Ada"'}>
      A Being is a persona with a memory of its own: what it lived through becomes scenes, scenes become
      memories, and what is never recalled fades.
    </Empty>
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
  return (
    <div className="flex min-h-0 flex-1">
      <div className="min-w-0 flex-1 overflow-y-auto">
        <PageHead title="Beings">Personas and what they remember.</PageHead>
        <ul className="border-line border-t">
          {data.beings.map(({ id, name, owner, updatedAt }) => (
            <li key={id} className="border-line border-b">
              <Link
                to="/beings/$beingId"
                params={{ beingId: id }}
                className={`row hover:bg-sunken px-4 ${id === beingId ? 'bg-sunken' : ''}`}
              >
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
      </div>
      {beingId !== undefined && (
        <BeingDrawer key={beingId} id={beingId} onClose={() => void navigate({ to: '/beings' })} />
      )}
    </div>
  );
}

function BeingDrawer({ id, onClose }: Readonly<{ id: string; onClose(): void }>): ReactNode {
  const path = `/v1/beings/${encodeURIComponent(id)}`;
  const ask = { retry: false } as const;
  const { data: soul, error } = useQuery({
    ...ask,
    queryKey: ['being', id, 'soul'],
    queryFn: () => call<{ name: string; soul: Record<string, string> }>(`${path}/soul`),
  });
  const { data: shown } = useQuery({
    ...ask,
    queryKey: ['being', id],
    queryFn: () => call<{ being: Record<string, unknown> }>(path),
  });
  const { data: patrol } = useQuery({
    ...ask,
    queryKey: ['being', id, 'patrol'],
    queryFn: () => call<Patrol>(`${path}/patrol`),
  });
  const numbers = Object.entries(shown?.being ?? {}).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && !entry[0].endsWith('At'),
  );
  return (
    <Drawer
      label="A Being"
      onClose={onClose}
      head={
        <h2 className="text-title font-semibold">
          <Foreign text={soul?.name ?? ''} />
        </h2>
      }
    >
      <Refused error={error} />
      {numbers.length > 0 && (
        <p className="text-soft">
          {numbers.map(([name, value]) => `${value.toLocaleString()} ${name}`).join(' · ')}
        </p>
      )}
      {Object.entries(soul?.soul ?? {}).map(([field, text]) => (
        <Section key={field} title={field}>
          <Quoted>
            <Markdown text={text} />
          </Quoted>
        </Section>
      ))}
      {patrol && (
        <Section title="Patrols">
          {patrol.runs.length === 0 && <p className="text-soft">None yet.</p>}
          <ol>
            {patrol.runs.map((run) => (
              <li key={run.id} className="row flex-wrap">
                {run.state}{' '}
                <span className="text-meta text-faint">
                  {run.steps.map(({ step, outcome }) => `${step}: ${outcome}`).join(', ')}
                </span>
                <Moment at={run.startedAt} className="ml-auto" />
              </li>
            ))}
          </ol>
        </Section>
      )}
      {!soul && !error && <Skeleton />}
    </Drawer>
  );
}
