import { useEffect, useState, type ReactNode } from 'react';
import { useCards } from '../board/cards.ts';
import { useKeys } from '../frame/keys.ts';
import { useOpenTask, usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { Diff } from '../parts/diff.tsx';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { PageHead } from '../parts/page.tsx';
import { Drain, Moment } from '../parts/time.tsx';
import { CommandLine } from './command-line.tsx';
import { useApprovals, useDecide, type Approval, type Decision } from './queries.ts';
import { argsOf, commandOf, editOf, gist, shapeText } from './request.ts';

export function ApprovalsPage(): ReactNode {
  const { data, error } = useApprovals();
  const project = useProject();
  const { at } = usePlace();
  const setPlace = useSetPlace();
  const decide = useDecide();
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const all = (data?.approvals ?? [])
    .filter(({ teamId }) => project === undefined || teamId === null || teamId === project)
    .toReversed();
  const chosen = all.find(({ id }) => id === at) ?? all[0];

  const answer = (decision: Decision, ids = picked.size > 0 ? [...picked] : chosen ? [chosen.id] : []) => {
    if (ids.length === 0) return;
    const next = all.find(({ id }) => !ids.includes(id));
    decide.mutate({ ids, decision });
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
    a: { does: 'Allow once', run: () => answer('allow_once') },
    A: { does: 'Allow always', run: () => answer('allow_always') },
    d: { does: 'Deny', run: () => answer('deny') },
    x: { does: 'Pick several', run: () => chosen && toggle(chosen.id) },
  });
  useEffect(() => {
    if (chosen) document.getElementById(`ask-${chosen.id}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);

  if (error)
    return (
      <div className="p-4">
        <Refused error={error} />
      </div>
    );
  if (!data) return <Skeleton />;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHead title="Approvals">
        {all.length === 0
          ? undefined
          : `${all.length} ${all.length === 1 ? 'agent waits' : 'calls wait'} until you decide, or until the time is up: then it is a no.`}
      </PageHead>
      <div className="px-4">
        <Refused error={decide.error} onClose={() => decide.reset()} />
      </div>
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
}: Readonly<{ approval: Approval; picked: number; onAnswer(decision: Decision): void }>): ReactNode {
  const { data: cards } = useCards();
  const [, openTask] = useOpenTask();
  const { agentId, principal, toolName, teamId, reason, taskId, createdAt, expiresAt } = approval;
  const task = taskId === null ? undefined : cards?.get(taskId);
  const many = picked > 0 ? ` ${picked}` : '';
  return (
    <section aria-label="The request" className="flex min-h-0 flex-1 flex-col">
      <div className="min-h-0 flex-1 overflow-y-auto px-4 py-3" tabIndex={0}>
        <h2 className="text-title font-medium">
          <Agent name={agentId ?? principal} /> wants to use {toolName}
        </h2>
        <p className="text-soft mt-0.5 flex flex-wrap items-center gap-x-3">
          {teamId !== null && <span>in {teamId}</span>}
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
        {reason !== null && (
          <p className="mt-3">
            <span className="section-title block">Why you are asked</span>
            <Foreign text={reason} />
          </p>
        )}
        <p className="mt-3 max-w-[76ch]">
          <span className="section-title block">Always would mean</span>
          <Foreign text={shapeText(approval)} />. It is listed under Grants and can be revoked there at any
          time.
        </p>
      </div>
      <div className="border-line bg-ground flex flex-wrap gap-2 border-t px-4 py-2.5">
        <button className="button button-main" onClick={() => onAnswer('allow_once')}>
          Allow{many} once <kbd className="key">a</kbd>
        </button>
        <button className="button" onClick={() => onAnswer('allow_always')}>
          Allow{many} always <kbd className="key">A</kbd>
        </button>
        <button className="button" onClick={() => onAnswer('deny')}>
          Deny{many} <kbd className="key">d</kbd>
        </button>
      </div>
    </section>
  );
}

/** Every byte that would run: a command as it will be read, an edit as a diff, everything else by name. */
function Arguments({ approval }: Readonly<{ approval: Approval }>): ReactNode {
  const args = argsOf(approval);
  if (!args)
    return (
      <Block text={approval.argsSummary ?? 'The hub kept no summary of the arguments.'} label="Arguments" />
    );
  const command = commandOf(args);
  const edit = editOf(args);
  const shown = new Set([
    ...(command !== undefined ? ['command', 'cmd'] : []),
    ...(edit ? ['old_string', 'new_string', 'oldText', 'newText', 'old', 'new'] : []),
  ]);
  const others = Object.entries(args).filter(([name]) => !shown.has(name));
  return (
    <div className="flex flex-col gap-2">
      {command !== undefined && <CommandLine text={command} />}
      {others.length > 0 && (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
          {others.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-soft font-mono text-[12px] leading-[26px]">{name}</dt>
              <dd className="min-w-0">
                <Block
                  text={typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)}
                  label={name}
                />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {edit && <Diff before={edit.before} after={edit.after} label="The edit" />}
    </div>
  );
}

function Block({ text, label }: Readonly<{ text: string; label: string }>): ReactNode {
  return (
    <pre
      tabIndex={0}
      aria-label={label}
      className="bg-sunken max-h-96 overflow-auto rounded-one px-2.5 py-1 font-mono text-[12px] leading-[18px] whitespace-pre-wrap"
    >
      <Foreign text={text} />
    </pre>
  );
}
