import { useMutation } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { usePlace, useSetPlace } from '../frame/place.ts';
import { Drawer } from '../parts/drawer.tsx';
import { Empty, Refused } from '../parts/empty.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Moment } from '../parts/time.tsx';
import { Unready } from '../parts/unready.tsx';
import { Island } from './island.tsx';
import { useMap, type Cluster, type Memory } from './queries.ts';

/** Clusters as islands of memories. What was never called back grows pale, then hollow, then is gone. */
export function MemoryMap({ id }: Readonly<{ id: string }>): ReactNode {
  const { data, error } = useMap(id);
  const { at } = usePlace();
  const setPlace = useSetPlace();
  const lands = useMemo(() => (data ? landsOf(data.clusters, data.nodes) : []), [data]);
  if (!data) return <Unready error={error} />;
  if (data.nodes.length === 0)
    return (
      <Empty title="It remembers nothing yet">
        What is told to it waits as scenes. A patrol turns them into memories and puts those that belong
        together into clusters.
      </Empty>
    );
  const open = data.clusters.find((cluster) => cluster.id === at);
  return (
    <div className="relative flex min-h-0 flex-1">
      <div className="min-w-0 flex-1 overflow-y-auto px-4 pb-6" tabIndex={0} aria-label="Map of memories">
        <Legend />
        {data.left && <p className="text-meta text-faint">Only the strongest 2,000 are drawn.</p>}
        {lands.map(({ root, islands }) => (
          <section key={root?.id ?? 'alone'} className="mt-4">
            {root && (
              <h2 className="section-title">
                <Foreign text={root.name} />
              </h2>
            )}
            <ul className="mt-2 flex flex-wrap items-end gap-x-6 gap-y-4">
              {islands.map(({ cluster, memories }) => (
                <li key={cluster.id}>
                  <Island
                    cluster={cluster}
                    memories={memories}
                    scale={data.nodes.length < 150 ? 1.5 : 1}
                    isOpen={cluster.id === at}
                    onOpen={() => setPlace({ at: cluster.id }, true)}
                  />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      {open && (
        <ClusterDrawer
          key={open.id}
          being={id}
          cluster={open}
          memories={data.nodes.filter(({ clusterId }) => clusterId === open.id)}
          onClose={() => setPlace({ at: undefined }, true)}
        />
      )}
    </div>
  );
}

/** `root`: what the islands have in common; islands by themselves say below them what they are called. */
type Land = Readonly<{
  root: Cluster | undefined;
  islands: readonly { cluster: Cluster; memories: readonly Memory[] }[];
}>;

function landsOf(clusters: readonly Cluster[], nodes: readonly Memory[]): readonly Land[] {
  const inside = Map.groupBy(nodes, ({ clusterId }) => clusterId);
  const lands = clusters
    .filter(({ parentId }) => parentId === null)
    .map((root) => ({
      root,
      islands: [root, ...clusters.filter(({ parentId }) => parentId === root.id)]
        .map((cluster) => ({ cluster, memories: inside.get(cluster.id) ?? [] }))
        .filter(({ memories }) => memories.length > 0),
    }))
    .filter(({ islands }) => islands.length > 0)
    .sort((a, b) => sizeOf(b) - sizeOf(a));
  const isAlone = ({ root, islands }: Land) => islands.length === 1 && islands[0]!.cluster === root;
  const alone = lands.filter(isAlone).flatMap(({ islands }) => islands);
  return [
    ...lands.filter((land) => !isAlone(land)),
    ...(alone.length > 0 ? [{ root: undefined, islands: alone }] : []),
  ];
}

function sizeOf({ islands }: Land): number {
  return islands.reduce((sum, { memories }) => sum + memories.length, 0);
}

function Legend(): ReactNode {
  return (
    <p className="text-meta text-soft flex flex-wrap items-center gap-x-4 gap-y-1">
      <span className="inline-flex items-center gap-1.5">
        <svg width="10" height="10" aria-hidden="true">
          <circle cx="5" cy="5" r="4.500" className="fill-kelp" />
        </svg>
        vivid
      </span>
      <span className="inline-flex items-center gap-1.5">
        <svg width="10" height="10" aria-hidden="true">
          <circle cx="5" cy="5" r="4.500" className="fill-kelp" opacity="0.3" />
        </svg>
        fading
      </span>
      <span className="inline-flex items-center gap-1.5">
        <svg width="10" height="10" aria-hidden="true">
          <circle cx="5" cy="5" r="4" fill="none" className="stroke-amber" strokeWidth="1.500" />
        </svg>
        dying
      </span>
      <span className="inline-flex items-center gap-1.5">
        <svg width="10" height="10" aria-hidden="true">
          <circle cx="5" cy="5" r="2" className="fill-faint" />
        </svg>
        at rest
      </span>
      <span className="inline-flex items-center gap-1.5">
        <svg width="12" height="12" aria-hidden="true">
          <circle cx="6" cy="6" r="3" className="fill-kelp" />
          <circle cx="6" cy="6" r="5" fill="none" className="stroke-tide" strokeWidth="1.200" />
        </svg>
        pinned
      </span>
      <span>The larger, the more it mattered.</span>
    </p>
  );
}

type Opened = Readonly<{
  being: string;
  cluster: Cluster;
  memories: readonly Memory[];
  onClose(): void;
}>;

function ClusterDrawer({ being, cluster, memories, onClose }: Opened): ReactNode {
  const pin = useMutation({
    mutationFn: ({ id, isPinned }: Memory) =>
      ask('PUT /v1/beings/:id/memory/:nodeId/pinned', { id: being, nodeId: id, pinned: !isPinned }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['being', being] }),
  });
  return (
    <Drawer
      label="A cluster"
      onClose={onClose}
      head={
        <h2 className="text-title truncate font-semibold">
          <Foreign text={cluster.name} />
        </h2>
      }
    >
      {cluster.digest !== '' && (
        <p className="text-soft mb-3 max-w-[76ch]">
          <Foreign text={cluster.digest} />
        </p>
      )}
      <Refused error={pin.error} />
      <ul className="flex flex-col gap-3">
        {memories.map((memory) => (
          <li key={memory.id}>
            <Quoted>
              <p dir="auto" className={memory.status === 'dead' ? 'text-soft' : ''}>
                <Foreign text={memory.text} />
                {memory.feeling !== null && (
                  <span className="text-soft">
                    {' '}
                    (<Foreign text={memory.feeling} />)
                  </span>
                )}
              </p>
              <p className="text-meta text-faint mt-0.5 flex flex-wrap items-center gap-x-3">
                <span className="inline-flex items-center gap-1.5">
                  <span className="bg-line h-[3px] w-16 overflow-hidden rounded-full" aria-hidden="true">
                    <span
                      className={`block h-full origin-left ${memory.status === 'active' ? 'bg-kelp' : 'bg-amber'}`}
                      style={{ transform: `scaleX(${Math.min(1, memory.strength)})` }}
                    />
                  </span>
                  {strengthOf(memory)}
                </span>
                <Moment at={memory.lastActivated} />
                <button className="quiet min-h-5" onClick={() => pin.mutate(memory)}>
                  {memory.isPinned ? 'Unpin' : 'Pin'}
                </button>
              </p>
            </Quoted>
          </li>
        ))}
      </ul>
    </Drawer>
  );
}

/** How much is left, and why, in words. */
function strengthOf({ importance, strength, status, cycles, reactivations, isPinned }: Memory): string {
  const state = status === 'dead' ? 'at rest' : status === 'dying' ? 'dying' : isPinned ? 'pinned' : 'living';
  const left = `${strength.toFixed(2)} of ${importance.toFixed(2)} left`;
  const back = reactivations === 0 ? 'never called back' : `called back ${reactivations}×`;
  return `${state}, ${left} after ${cycles} ${cycles === 1 ? 'patrol' : 'patrols'}, ${back}`;
}
