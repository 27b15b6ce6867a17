import { useRef, useState, type ReactNode } from 'react';
import { useCards } from '../board/cards.ts';
import { useKeys } from '../frame/keys.ts';
import { useOpenTask } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { useSeen } from '../parts/seen.ts';
import { Drain, Moment } from '../parts/time.tsx';
import { ALWAYS, AlwaysMeans } from './always.tsx';
import { Arguments } from './arguments.tsx';
import type { Approval, Decision } from './decision.ts';
import { DenyWord } from './deny.tsx';
import { denial } from './held.ts';
import { useRisks } from './queries.ts';
import { isCut } from './request.ts';
import { Where } from './where.tsx';
import { RISKS } from './words.ts';

export type Answer = Omit<Decision, 'ids'>;

type RequestsProps = Readonly<{
  shown: readonly Approval[];
  isPicked: boolean;
  onAnswer(meant: readonly Approval[], answer: Answer): void;
}>;

/**
 * What is decided on, one request or all that are picked, each in full. Allowing it begins where all of it has been on
 * screen; a no needs no reading.
 */
export function Requests({ shown, isPicked, onAnswer }: RequestsProps): ReactNode {
  const [box, isSeen] = useSeen<HTMLDivElement>(shown.map(({ id }) => id).join());
  const page = useRef<HTMLDivElement>(null);
  const word = useRef<HTMLInputElement>(null);
  const [always, setAlways] = useState(ALWAYS);
  // What lies open beside it may lie over it.
  const [openTask] = useOpenTask();
  const [first] = shown as readonly [Approval, ...Approval[]];
  const isOne = shown.length === 1;
  const many = isPicked ? ` ${shown.length}` : '';
  const answer = (given: Answer) => onAnswer(shown, given);
  const allowOnce = () => answer({ decision: 'allow_once' });
  const allowAlways = () =>
    answer({
      decision: 'allow_always',
      // What was chosen for one request means nothing for another.
      covers: isOne ? always.covers : ALWAYS.covers,
      ...(isOne && always.wider.length > 0 && { wider: [...always.wider] }),
      grantTtlMs: Math.round((isOne ? always : ALWAYS).days * 86_400_000),
    });
  const deny = () => answer(denial(first.id));
  useKeys('This request', {
    d: { does: 'Deny', run: deny },
    D: { does: 'Deny with a word', run: () => word.current?.focus() },
  });
  const allowing = {
    a: { does: 'Allow once', run: allowOnce },
    A: { does: 'Allow always', run: allowAlways },
  };
  useKeys('This request, once all of it was on screen', allowing, isSeen && openTask === undefined);
  const readOn = () => page.current?.scrollBy({ top: page.current.clientHeight * 0.85 });
  return (
    <section aria-label="The request" className="flex min-h-0 flex-1 flex-col">
      <div ref={page} className="min-h-0 flex-1 overflow-y-auto px-4 py-3" tabIndex={0}>
        <div ref={box} className="flex flex-col gap-6">
          {shown.map((approval) => (
            <Request key={approval.id} approval={approval} />
          ))}
        </div>
        {isOne ? (
          <AlwaysMeans approval={first} value={always} onChange={setAlways} />
        ) : (
          <p className="text-soft mt-4">
            Always would mean, for each of them: exactly these arguments, for an hour.
          </p>
        )}
      </div>
      <div className="border-line bg-ground flex flex-wrap gap-2 border-t px-4 py-2.5">
        {isSeen ? (
          <>
            <button className="button button-main" onClick={allowOnce}>
              Allow{many} once <kbd className="key">a</kbd>
            </button>
            <button className="button" onClick={allowAlways}>
              Allow{many} always <kbd className="key">A</kbd>
            </button>
          </>
        ) : (
          <button className="button" onClick={readOn}>
            Read on: there is more of it below
          </button>
        )}
        <form
          className="flex min-w-0 flex-1 basis-64 gap-2"
          onSubmit={(event) => (event.preventDefault(), deny())}
        >
          <button className="button">
            Deny{many} <kbd className="key">d</kbd>
          </button>
          <DenyWord
            ref={word}
            id={first.id}
            className="max-w-sm"
            label="A word to the agent, with a no"
            hint="with a word to the agent (D)"
          />
        </form>
      </div>
    </section>
  );
}

function Request({ approval }: Readonly<{ approval: Approval }>): ReactNode {
  const { data: cards } = useCards();
  const [, openTask] = useOpenTask();
  const risks = useRisks();
  const { agentId, principal, toolName, reason, taskId, createdAt, expiresAt } = approval;
  const task = taskId === null ? undefined : cards?.get(taskId);
  const risk = risks?.get(toolName);
  return (
    <article>
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
      {isCut(approval) && (
        <p className="text-amber mt-1">
          It is too long for the hub to keep: the rest, as long as is said above, is in nobody’s sight.
        </p>
      )}
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
    </article>
  );
}
