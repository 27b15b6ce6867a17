import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useCards } from '../board/cards.ts';
import { useKeys } from '../frame/keys.ts';
import { useOpenTask, usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { Empty } from '../parts/empty.tsx';
import { Unready } from '../parts/unready.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { PageHead } from '../parts/page.tsx';
import { Drain, Moment } from '../parts/time.tsx';
import { ALWAYS, AlwaysMeans } from './always.tsx';
import { Arguments } from './arguments.tsx';
import { hold } from './held.ts';
import type { Approval, Deciding } from './deciding.ts';
import { useApprovals, useRisks } from './queries.ts';
import { gist } from './request.ts';
import { Where } from './where.tsx';
import { RISKS } from './words.ts';

type Answer = Omit<Deciding, 'ids'>;

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

  const answer = (given: Answer) => {
    const ids = picked.size > 0 ? [...picked] : chosen ? [chosen.id] : [];
    const meant = all.filter(({ id }) => ids.includes(id));
    if (meant.length === 0) return;
    const after = all.slice(all.findIndex(({ id }) => id === chosen?.id) + 1);
    const next = [...after, ...all].find(({ id }) => !ids.includes(id));
    hold({ ids: meant.map(({ id }) => id), ...given }, meant);
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
          <Request key={chosen.id} approval={chosen} picked={picked.size} onAnswer={answer} />
        </div>
      )}
    </div>
  );
}

function Request({
  approval,
  picked,
  onAnswer,
}: Readonly<{ approval: Approval; picked: number; onAnswer(answer: Answer): void }>): ReactNode {
  const { data: cards } = useCards();
  const [, openTask] = useOpenTask();
  const risks = useRisks();
  const [always, setAlways] = useState(ALWAYS);
  const [note, setNote] = useState('');
  const word = useRef<HTMLInputElement>(null);
  const { agentId, principal, toolName, reason, taskId, createdAt, expiresAt } = approval;
  const task = taskId === null ? undefined : cards?.get(taskId);
  const risk = risks?.get(toolName);
  const many = picked > 0 ? ` ${picked}` : '';
  const said = note.trim();
  const deny = () => onAnswer({ decision: 'deny', ...(said !== '' && { note: said }) });
  const allowAlways = () =>
    onAnswer({
      decision: 'allow_always',
      // What was chosen for one request means nothing for another.
      covers: picked > 1 && typeof always.covers === 'object' ? 'shape' : always.covers,
      ...(picked <= 1 && always.wider.length > 0 && { wider: always.wider }),
      grantTtlMs: Math.round(always.days * 86_400_000),
    });
  useKeys('This request', {
    a: { does: 'Allow once', run: () => onAnswer({ decision: 'allow_once' }) },
    A: { does: 'Allow always', run: allowAlways },
    d: { does: 'Deny', run: deny },
    D: { does: 'Deny with a word', run: () => word.current?.focus() },
  });
  return (
    <section aria-label="The request" className="flex min-h-0 flex-1 flex-col">
      <div className="min-h-0 flex-1 overflow-y-auto px-4 py-3" tabIndex={0}>
        <h2 className="text-title font-medium">
          <Agent name={agentId ?? principal} /> wants to use {toolName}
        </h2>
        <p className="text-soft mt-0.5 flex flex-wrap items-center gap-x-3">
          <Where {...approval} />
          {task && (
            <span>
              for{' '}
              <button
                className="text-tide underline-offset-2 hover:underline"
                onClick={() => openTask(task.id)}
              >
                <Foreign text={task.title} />
              </button>
            </span>
          )}
          <span>
            asked <Moment at={createdAt} />
          </span>
          <Drain until={expiresAt} whole={expiresAt - createdAt} word="time to decide" wide />
        </p>
        <div className="mt-3">
          <Arguments approval={approval} />
        </div>
        {(reason !== null || risk) && (
          <div className="mt-4">
            <h3 className="section-title mb-0.5">Why you are asked</h3>
            {reason !== null && (
              <p className="max-w-[80ch]">
                <Foreign text={reason} />
              </p>
            )}
            {risk && (
              <p className="text-soft">
                <span className={risk === 'safe' ? '' : 'text-amber font-medium'}>{risk}</span>: {toolName}{' '}
                {RISKS[risk]}.
              </p>
            )}
          </div>
        )}
        <AlwaysMeans approval={approval} value={always} onChange={setAlways} />
      </div>
      <div className="border-line bg-ground flex flex-wrap gap-2 border-t px-4 py-2.5">
        <button className="button button-main" onClick={() => onAnswer({ decision: 'allow_once' })}>
          Allow{many} once <kbd className="key">a</kbd>
        </button>
        <button className="button" onClick={allowAlways}>
          Allow{many} always <kbd className="key">A</kbd>
        </button>
        <form
          className="flex min-w-0 flex-1 basis-64 gap-2"
          onSubmit={(event) => (event.preventDefault(), deny())}
        >
          <button className="button">
            Deny{many} <kbd className="key">d</kbd>
          </button>
          <input
            ref={word}
            className="field min-h-7 min-w-0 max-w-sm flex-1 py-0.5"
            aria-label="A word to the agent, with a no"
            placeholder="with a word to the agent (D)"
            maxLength={500}
            value={note}
            onChange={({ target }) => setNote(target.value)}
            onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
          />
        </form>
      </div>
    </section>
  );
}
