import type { ReactNode } from 'react';
import { Agent } from '../parts/agent.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Moment } from '../parts/time.tsx';
import { type LandingView, useDecideLanding, useLandEvidence } from './queries.ts';
import { isUnderWay, LandingState } from './state.tsx';

type RowProps = Readonly<{
  landing: LandingView;
  onOpen?: ((task: string) => void) | undefined;
  /** Somebody says yes or no elsewhere on the same page. */
  isDecidedAbove?: boolean;
}>;

/** One wish to land: what it is, where it stands and why, and what a person can do about it. */
export function LandingRow({ landing, onOpen, isDecidedAbove = false }: RowProps): ReactNode {
  const { title, branch, target, requestedBy, updatedAt, task } = landing;
  return (
    <li className="border-line flex flex-wrap items-start gap-x-4 gap-y-1 border-b px-4 py-2">
      <span className="flex min-h-7 min-w-0 flex-1 basis-72 flex-wrap items-center gap-x-3 gap-y-0.5">
        <LandingState state={landing.state} />
        {onOpen && (
          <button
            className="min-w-0 truncate text-left font-medium underline-offset-2 hover:underline"
            onClick={() => onOpen(task)}
          >
            <Foreign text={title} />
          </button>
        )}
        <span className="text-soft flex min-w-0 items-center gap-1 font-mono text-[12px]">
          <Icon name="branch" size={12} className="shrink-0" />
          <span className="truncate">
            <Foreign text={branch} />
          </span>
          <Icon name="right" size={10} className="shrink-0" />
          <span className="shrink-0">{target}</span>
        </span>
      </span>
      {!isDecidedAbove && <Decide landing={landing} />}
      <span className="text-meta text-faint flex basis-full flex-wrap items-center gap-x-3">
        <span className="flex items-center gap-1">
          asked for by {requestedBy === 'operator' ? 'you' : <Agent name={requestedBy} />}
        </span>
        <Moment at={updatedAt} />
        {landing.commit !== null && (
          <code className="font-mono text-[11px]">{landing.commit.slice(0, 12)}</code>
        )}
      </span>
      <Why landing={landing} />
    </li>
  );
}

/** Our own words stand as they are; what tests said is quoted. */
function Why({ landing }: Readonly<{ landing: LandingView }>): ReactNode {
  const { why, state, conflicts, protected: guarded } = landing;
  if (state === 'landed' || (why === null && conflicts.length === 0)) return null;
  return (
    <div className="text-soft min-w-0 basis-full">
      {why !== null && <p className="break-words first-letter:uppercase">{why}</p>}
      {state === 'conflict' && <Paths paths={conflicts} />}
      {state === 'waiting_person' && guarded.length > NAMED && <Paths paths={guarded} />}
      {state === 'failed' && <Failing landing={landing} />}
    </div>
  );
}

const MOST = 8;
/** So many the reason names itself. */
const NAMED = 5;

function Paths({ paths }: Readonly<{ paths: readonly string[] }>): ReactNode {
  if (paths.length === 0) return null;
  return (
    <ul className="mt-0.5 font-mono text-[12px]">
      {paths.slice(0, MOST).map((path) => (
        <li key={path} className="truncate">
          <Foreign text={path} />
        </li>
      ))}
      {paths.length > MOST && <li className="text-faint">and {paths.length - MOST} more</li>}
    </ul>
  );
}

/** The tests that failed, or the end of what was printed where no report names them. */
function Failing({ landing }: Readonly<{ landing: LandingView }>): ReactNode {
  const { data } = useLandEvidence(landing);
  const bad = data?.evidence.find(({ passed }) => !passed);
  if (!bad) return null;
  return (
    <div className="mt-1">
      <Quoted>
        {bad.failing.length > 0 ? (
          <ul aria-label={`Tests of ${bad.check} that failed`}>
            {bad.failing.slice(0, MOST).map(({ name, message }) => (
              <li key={name} className="min-w-0 break-words">
                <strong className="font-medium">
                  <Foreign text={name} />
                </strong>{' '}
                <span className="text-soft">
                  <Foreign text={message.split('\n')[0]!.slice(0, 200)} />
                </span>
              </li>
            ))}
          </ul>
        ) : (
          <pre className="max-h-40 overflow-y-auto font-mono text-[12px] leading-[18px] whitespace-pre-wrap">
            <Foreign text={bad.tail.slice(-1_200)} />
          </pre>
        )}
      </Quoted>
    </div>
  );
}

function Decide({ landing }: Readonly<{ landing: LandingView }>): ReactNode {
  const decide = useDecideLanding();
  const { id, state, title, target } = landing;
  if (!isUnderWay(landing)) return null;
  return (
    <span className="flex shrink-0 items-center gap-2">
      {decide.error && <span className="text-amber text-meta">{decide.error.message}</span>}
      {state === 'waiting_person' && (
        <button
          className="button button-main"
          title={`Merged onto ${target} and moved there when its checks pass`}
          disabled={decide.isPending}
          onClick={() => decide.mutate({ id, verb: 'approve' })}
        >
          Approve, and land on {target}
          <span className="sr-only">: {title}</span>
        </button>
      )}
      <button
        className="quiet"
        disabled={decide.isPending}
        onClick={() => decide.mutate({ id, verb: 'withdraw' })}
      >
        Withdraw<span className="sr-only">: {title}</span>
      </button>
    </span>
  );
}
