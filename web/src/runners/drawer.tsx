import { useState, type ReactNode } from 'react';
import { useTokens } from '../agents/queries.ts';
import { Agent } from '../parts/agent.tsx';
import { Drawer, Section } from '../parts/drawer.tsx';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Moment } from '../parts/time.tsx';
import { RUNNER_SCOPE, useDrain, useRevoke, type Runner } from './queries.ts';
import { RunnerState, Slots } from './state.tsx';

type DrawerProps = Readonly<{ name: string; runner: Runner | undefined; onClose(): void }>;

/** One machine: what it has, and what one can do about it. */
export function RunnerDrawer({ name, runner, onClose }: DrawerProps): ReactNode {
  return (
    <Drawer
      label={`Runner ${name}`}
      onClose={onClose}
      head={
        <h2 className="text-title truncate font-semibold">
          <Foreign text={name} />
        </h2>
      }
    >
      {runner ? (
        <Body runner={runner} />
      ) : (
        <Section title="There is no such runner">
          <p className="text-soft">
            It has never asked for a run, or was gone for long. The list has the rest.
          </p>
        </Section>
      )}
      <RunnerTokens name={name} />
    </Drawer>
  );
}

const MEANING: Readonly<Record<Runner['state'], string>> = {
  ready: 'It takes runs.',
  draining: 'It finishes what it has and takes nothing more.',
  lost: 'It has not been heard of for a minute. What it had goes to others where that is allowed.',
};

function Body({ runner }: Readonly<{ runner: Runner }>): ReactNode {
  const { name, state, agents, labels, projects, system, version, seenAt } = runner;
  const drain = useDrain();
  const [isSure, setSure] = useState(false);
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <RunnerState state={state} />
        <span className="text-soft">{MEANING[state]}</span>
      </p>
      <dl className="mt-3 grid grid-cols-[7rem_minmax(0,1fr)] gap-x-4 gap-y-1.5">
        <Fact name="Slots">
          <Slots runner={runner} />
        </Fact>
        <Fact name="Agents">
          <span className="flex flex-wrap gap-x-3">
            {agents.length === 0 && <span className="text-faint">none installed</span>}
            {agents.map((each) => (
              <Agent key={each} name={each} />
            ))}
          </span>
        </Fact>
        <Fact name="Labels">{labels.join(', ') || <span className="text-faint">none</span>}</Fact>
        <Fact name="Projects">{projects.join(', ') || <span className="text-faint">any</span>}</Fact>
        <Fact name="System">{system}</Fact>
        <Fact name="Version">{version}</Fact>
        <Fact name="Seen">
          <Moment at={seenAt} />
        </Fact>
      </dl>
      {state === 'ready' && (
        <div className="mt-4 flex flex-wrap items-center gap-2">
          {isSure ? (
            <>
              <span>It finishes what it has and takes nothing more.</span>
              <button
                className="button button-main"
                disabled={drain.isPending}
                onClick={() => drain.mutate({ name, undo: false }, { onSettled: () => setSure(false) })}
              >
                Drain {name}
              </button>
              <button className="button" onClick={() => setSure(false)}>
                Cancel
              </button>
            </>
          ) : (
            <button className="button" onClick={() => setSure(true)}>
              Drain
            </button>
          )}
        </div>
      )}
      {state === 'draining' && (
        <button
          className="button mt-4"
          disabled={drain.isPending}
          onClick={() => drain.mutate({ name, undo: true })}
        >
          Take runs again
        </button>
      )}
      <Refused error={drain.error} />
    </>
  );
}

function Fact({ name, children }: Readonly<{ name: string; children: ReactNode }>): ReactNode {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}

/** What it comes with. A revoked one ends what it does at its next word. */
function RunnerTokens({ name }: Readonly<{ name: string }>): ReactNode {
  const { data } = useTokens();
  const revoke = useRevoke();
  const own =
    data?.tokens.filter(({ agent, scopes }) => agent === name && scopes.includes(RUNNER_SCOPE)) ?? [];
  if (own.length === 0) return null;
  return (
    <Section title="Tokens">
      <Refused error={revoke.error} />
      <ul>
        {own.map(({ id, state, createdAt, usedAt }) => (
          <li key={id} className="row flex-wrap">
            <span className={state === 'active' ? '' : 'text-faint'}>{state}</span>
            <span className="text-meta text-faint">
              made <Moment at={createdAt} />, {usedAt === null ? 'never used' : 'used '}
              {usedAt !== null && <Moment at={usedAt} />}
            </span>
            {state === 'active' && (
              <button
                className="button ml-auto"
                disabled={revoke.isPending}
                onClick={() => revoke.mutate(id)}
              >
                Revoke
              </button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
