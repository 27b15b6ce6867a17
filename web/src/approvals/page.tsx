import { useEffect, useState, type ReactNode } from 'react';
import { useKeys } from '../frame/keys.ts';
import { usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { Empty } from '../parts/empty.tsx';
import { Unready } from '../parts/unready.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { PageHead } from '../parts/page.tsx';
import { Drain } from '../parts/time.tsx';
import { hold } from './held.ts';
import type { Approval } from './decision.ts';
import { useApprovals } from './queries.ts';
import { gist } from './request.ts';
import { Requests, type Answer } from './requests.tsx';
import { Where } from './where.tsx';

export function ApprovalsPage(): ReactNode {
  const { data, error } = useApprovals();
  const project = useProject();
  const { at } = usePlace();
  const setPlace = useSetPlace();
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const all = (data?.approvals ?? [])
    .filter(({ teamId }) => project === undefined || teamId === null || teamId === project)
    .toReversed();
  const chosen = all.find(({ id }) => id === at) ?? all[0];
  // What is decided together is shown together.
  const several = all.filter(({ id }) => picked.has(id));
  const shown = several.length > 0 ? several : chosen ? [chosen] : [];

  const answer = (meant: readonly Approval[], given: Answer) => {
    const ids = meant.map(({ id }) => id);
    const after = all.slice(all.findIndex(({ id }) => id === chosen?.id) + 1);
    const next = [...after, ...all].find(({ id }) => !ids.includes(id));
    hold({ ids, ...given }, meant);
    setPicked(new Set());
    setPlace({ at: next?.id });
  };
  const step = (by: number) => {
    const next =
      all[Math.max(0, Math.min(all.length - 1, all.findIndex(({ id }) => id === chosen?.id) + by))];
    if (next) setPlace({ at: next.id });
  };
  const toggle = (id: string) =>
    setPicked((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  useKeys('Approvals', {
    j: { does: 'Next request', run: () => step(1) },
    k: { does: 'Request before', run: () => step(-1) },
    x: { does: 'Pick several', run: () => chosen && toggle(chosen.id) },
  });
  useEffect(() => {
    if (chosen) document.getElementById(`ask-${chosen.id}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);

  if (!data) return <Unready error={error} />;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHead title="Approvals">
        {all.length === 0
          ? undefined
          : `${all.length} ${all.length === 1 ? 'agent waits' : 'calls wait'} until you decide, or until the time is up: then it is a no.`}
      </PageHead>
      {all.length === 0 || !chosen ? (
        <Empty
          title="Nobody waits for you"
          command={'holdfast policy explain Bash --args \'{"command":"npm publish"}\''}
        >
          A call that a rule sends to you appears here with every byte that would run. What would happen to a
          call, and by which rule, tells:
        </Empty>
      ) : (
        <div className="border-line flex min-h-0 flex-1 flex-col border-t lg:flex-row">
          <ul
            aria-label="Requests"
            className="border-line max-h-44 shrink-0 overflow-y-auto border-b lg:max-h-none lg:w-80 lg:border-r lg:border-b-0"
          >
            {all.map((approval) => (
              <li
                key={approval.id}
                id={`ask-${approval.id}`}
                className={`border-line flex border-b ${approval.id === chosen.id ? 'bg-sunken' : ''}`}
              >
                <input
                  type="checkbox"
                  aria-label={`Pick the request of ${approval.agentId ?? approval.principal}`}
                  className="accent-tide m-3 mr-1.5 size-4 shrink-0 self-start"
                  checked={picked.has(approval.id)}
                  onChange={() => toggle(approval.id)}
                />
                <button
                  className="min-w-0 flex-1 py-2 pr-3 pl-1.5 text-left"
                  aria-current={approval.id === chosen.id}
                  onClick={() => setPlace({ at: approval.id })}
                >
                  <span className="flex items-center gap-2">
                    <Agent name={approval.agentId ?? approval.principal} />
                    <span className="text-soft truncate">{approval.toolName}</span>
                    <span className="ml-auto shrink-0">
                      <Drain
                        until={approval.expiresAt}
                        whole={approval.expiresAt - approval.createdAt}
                        word="time"
                      />
                    </span>
                  </span>
                  <span className="text-soft mt-0.5 block truncate font-mono text-[12px]">
                    <Foreign text={gist(approval)} />
                  </span>
                  <span className="text-meta block truncate">
                    <Where {...approval} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
          <Requests
            key={shown.map(({ id }) => id).join()}
            shown={shown}
            isPicked={picked.size > 0}
            onAnswer={answer}
          />
        </div>
      )}
    </div>
  );
}
