import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useKeys } from '../frame/keys.ts';
import { afresh, usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { Empty } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { PageHead, ViewUnready } from '../parts/page.tsx';
import { Drain } from '../parts/time.tsx';
import { hold } from './held.ts';
import type { Approval } from './decision.ts';
import { useApprovals } from './queries.ts';
import { wish } from './own-call.ts';
import { gist } from './request.ts';
import { Requests, type Answer } from './requests.tsx';
import { Where } from './where.tsx';
import { isOf } from '../frame/of-project.ts';

export function ApprovalsPage(): ReactNode {
  const { data, error } = useApprovals();
  const project = useProject();
  const { at } = usePlace();
  const setPlace = useSetPlace();
  // The first one that is seen is what somebody came for; the one behind a decision comes by itself.
  const isFirst = useRef(true);
  const follows = useRef<string>(undefined);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  // A link names one request, and no other is shown in its place, whatever project is looked at.
  const all = (data?.approvals ?? []).filter(({ id, teamId }) => id === at || isOf(project, teamId));
  const chosen = all.find(({ id }) => id === at) ?? all[0];
  // What is decided together is shown together.
  const several = all.filter(({ id }) => picked.has(id));
  const shown = several.length > 0 ? several : chosen ? [chosen] : [];

  const answer = (meant: readonly Approval[], given: Answer) => {
    const ids = meant.map(({ id }) => id);
    const after = all.slice(all.findIndex(({ id }) => id === chosen?.id) + 1);
    const next = [...after, ...all].find(({ id }) => !ids.includes(id));
    hold({ ids, ...given }, meant);
    follows.current = next?.id;
    setPicked(new Set());
    setPlace({ at: next?.id });
  };
  const step = (by: number) => {
    const next =
      all[Math.max(0, Math.min(all.length - 1, all.findIndex(({ id }) => id === chosen?.id) + by))];
    follows.current = undefined;
    if (next) setPlace({ at: next.id });
  };
  const isAskedFor =
    isFirst.current || several.length > 0 || (chosen?.id === at && chosen?.id !== follows.current);
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

  // Once it is shown it stays, whatever else comes: what is decided is what was read.
  useEffect(() => {
    if (chosen) isFirst.current = false;
    if (chosen && chosen.id !== at) setPlace({ at: chosen.id });
  }, [chosen, at, setPlace]);

  if (!data) return <ViewUnready error={error} />;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="border-line border-b">
        <PageHead title="Approvals">
          {all.length === 0
            ? 'Calls that wait until you decide.'
            : `${all.length} ${all.length === 1 ? 'agent waits' : 'calls wait'} until you decide, or until the time is up: then it is a no.`}
        </PageHead>
      </div>
      {all.length === 0 || !chosen ? (
        <Empty
          title="Nobody waits for you"
          action={
            <Link to="/policy" search={afresh} className="button">
              What you are asked about
            </Link>
          }
          command={'holdfast policy explain Bash --args \'{"command":"npm publish"}\''}
        >
          A call that a rule sends to you appears here with every byte that would run. What would happen to a
          call, and by which rule, tells:
        </Empty>
      ) : (
        <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
          <Stepper at={all.indexOf(chosen)} of={all.length} onStep={step} />
          <ul
            aria-label="Requests"
            className="border-line max-h-44 shrink-0 overflow-y-auto border-b max-sm:hidden lg:max-h-none lg:w-80 2xl:w-[360px] lg:border-r lg:border-b-0"
          >
            {all.map((approval) => (
              <li
                key={approval.id}
                id={`ask-${approval.id}`}
                className={`border-line flex border-b ${approval.id === chosen.id ? 'bg-chosen' : ''}`}
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
                    <span className="text-soft max-w-[50%] shrink-0 truncate">
                      {wish(approval).replace(/^use /, '')}
                    </span>
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
            isPicked={several.length > 0}
            isAskedFor={isAskedFor}
            onAnswer={answer}
          />
        </div>
      )}
    </div>
  );
}

type Steps = Readonly<{ at: number; of: number; onStep(by: number): void }>;

/** On a phone one request has the screen to itself; this leads to the ones before and after it. */
function Stepper({ at, of, onStep }: Steps): ReactNode {
  if (of < 2) return null;
  return (
    <nav
      aria-label="Requests, one by one"
      className="border-line flex items-center gap-2 border-b px-4 py-1 sm:hidden"
    >
      <button className="button size-11 justify-center" disabled={at === 0} onClick={() => onStep(-1)}>
        <Icon name="left" />
        <span className="sr-only">Request before</span>
      </button>
      <span className="flex-1 text-center">
        {at + 1} of {of}
      </span>
      <button className="button size-11 justify-center" disabled={at === of - 1} onClick={() => onStep(1)}>
        <Icon name="right" />
        <span className="sr-only">Next request</span>
      </button>
    </nav>
  );
}
