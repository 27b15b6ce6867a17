import { Link } from '@tanstack/react-router';
import { useRef, useState, type ReactNode } from 'react';
import { useCards } from '../board/cards.ts';
import { TaskLink } from '../board/task-link.tsx';
import { useKeys } from '../frame/keys.ts';
import { useOpenTask } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { useSeen } from '../parts/seen.ts';
import { useSettled } from '../parts/settled.ts';
import { Icon } from '../parts/icons.tsx';
import { Countdown, Moment } from '../parts/time.tsx';
import { ALWAYS, AlwaysMeans } from './always.tsx';
import { Arguments } from './arguments.tsx';
import type { Approval, Decision } from './decision.ts';
import { DenyWord } from './deny.tsx';
import { denial } from './held.ts';
import { useRisks } from './queries.ts';
import { runOf, toolWord, wish } from './own-call.ts';
import { isCut } from './request.ts';
import { TouchedThings } from './touches.tsx';
import { Where } from './where.tsx';
import { RISK_WORDS, RISKS } from './words.ts';

export type Answer = Omit<Decision, 'ids'>;

type RequestsProps = Readonly<{
  shown: readonly Approval[];
  isPicked: boolean;
  /** Whether the person chose it, and it did not come by itself. */
  isAskedFor: boolean;
  onAnswer(meant: readonly Approval[], answer: Answer): void;
}>;

/**
 * What is decided on, one request or all that are picked, each in full. Allowing it begins where all of it has been on
 * screen; a no needs no reading.
 */
export function Requests({ shown, isPicked, isAskedFor, onAnswer }: RequestsProps): ReactNode {
  const ids = shown.map(({ id }) => id).join();
  const [box, isSeen, readOn] = useSeen<HTMLDivElement>(ids);
  const isSettled = useSettled(ids, isAskedFor);
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
  useKeys(
    'This request, once all of it was on screen',
    allowing,
    isSeen && isSettled && openTask === undefined,
  );
  return (
    <section
      aria-label="The request"
      className="border-line flex min-h-0 max-w-[1200px] min-w-0 flex-1 flex-col min-[1900px]:border-r"
    >
      <div className="min-h-0 flex-1 overflow-y-auto px-4 py-3" tabIndex={0}>
        <div ref={box} className="flex max-w-[1080px] flex-col gap-6">
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
        {isSeen && (
          // Below what it would mean, so that two buttons are left for deciding.
          <button
            type="button"
            className="button mt-3 min-h-11 sm:hidden"
            aria-disabled={!isSettled}
            onClick={isSettled ? allowAlways : undefined}
          >
            Allow{many} always
          </button>
        )}
      </div>
      <form
        aria-label="Decide"
        className="border-line bg-ground grid grid-cols-2 gap-2 border-t px-4 py-2.5 sm:flex sm:flex-wrap"
        onSubmit={(event) => (event.preventDefault(), deny())}
      >
        <DenyWord
          ref={word}
          id={first.id}
          className="col-span-2 max-sm:min-h-11 sm:order-4 sm:max-w-sm"
          label="A word to the agent, with a no"
          hint="A word to the agent, with a no"
        />
        <button className={`button ${BIG} sm:order-3`}>
          Deny{many} <kbd className="key">d</kbd>
        </button>
        {isSeen ? (
          <>
            <button
              type="button"
              className={`button button-main ${BIG} sm:order-1`}
              aria-disabled={!isSettled}
              onClick={isSettled ? allowOnce : undefined}
            >
              Allow{many} once <kbd className="key">a</kbd>
            </button>
            <button
              type="button"
              className="button max-sm:hidden sm:order-2"
              aria-disabled={!isSettled}
              onClick={isSettled ? allowAlways : undefined}
            >
              Allow{many} always <kbd className="key">A</kbd>
            </button>
          </>
        ) : (
          <button type="button" className={`button ${BIG} sm:order-1`} onClick={readOn}>
            Read on<span className="max-sm:sr-only">: not all of it was on screen</span>
          </button>
        )}
      </form>
    </section>
  );
}

/** What one decides with, on a phone: for a thumb, and side by side. */
const BIG = 'max-sm:min-h-14 max-sm:justify-center max-sm:text-title max-sm:font-medium';

function Request({ approval }: Readonly<{ approval: Approval }>): ReactNode {
  const { data: cards } = useCards();
  const risks = useRisks();
  const { agentId, principal, toolName, reason, taskId, createdAt, expiresAt } = approval;
  const task = taskId === null ? undefined : cards?.get(taskId);
  const risk = risks?.get(toolName);
  const run = runOf(approval);
  return (
    <article>
      <h2 className="text-title font-medium">
        <Agent name={agentId ?? principal} /> wants to {wish(approval)}
      </h2>
      <p className="text-soft mt-0.5 flex flex-wrap items-center gap-x-3">
        <Where {...approval} />
        {run !== undefined && (
          <Link to="/runs/$runId" params={{ runId: run }} className="in-words">
            in its run
          </Link>
        )}
        {task && (
          <span className="min-w-0">
            for{' '}
            <TaskLink id={task.id}>
              <Foreign text={task.title} />
            </TaskLink>
          </span>
        )}
        <span>
          asked <Moment at={createdAt} />
        </span>
      </p>
      <div className="mt-2">
        <Countdown until={expiresAt} whole={expiresAt - createdAt} />
      </div>
      <div className="mt-3">
        <Arguments approval={approval} />
      </div>
      {isCut(approval) && (
        <p className="text-amber mt-1">
          It is too long for the hub to keep: the rest, as long as is said above, is in nobody’s sight.
        </p>
      )}
      <TouchedThings id={approval.id} />
      {(reason !== null || risk) && (
        <div className="mt-4 max-w-[80ch]">
          <h3 className="section-title mb-0.5">Why you are asked</h3>
          {risk && (
            <p className="flex items-baseline gap-1.5">
              <Icon
                name={risk === 'safe' ? 'eye' : risk === 'external' ? 'host' : 'alert'}
                size={14}
                className={`shrink-0 translate-y-0.5 ${risk === 'safe' ? 'text-soft' : 'text-amber'}`}
              />
              <span>
                <span className={risk === 'safe' ? '' : 'text-amber font-medium'}>{RISK_WORDS[risk]}</span>
                {': '}
                {toolWord(toolName)} {RISKS[risk]}.
              </span>
            </p>
          )}
          {reason !== null && (
            <p>
              <Foreign text={reason} />
            </p>
          )}
        </div>
      )}
    </article>
  );
}
