import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useTeams, useTokens } from '../agents/queries.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useDraft } from '../drafts/use-draft.ts';
import { Agent } from '../parts/agent.tsx';
import { Command, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Table } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';

const COLUMNS = [
  ['Agent', 'minmax(8rem,1fr)'],
  ['Project', 'minmax(6rem,8rem)'],
  ['For', 'minmax(6rem,1fr)'],
  ['Ends', '6rem'],
  ['Used', '6.5rem'],
  ['', '5.5rem'],
] as const;

/** Days until it ends; none: it does not. */
const SPANS = [
  ['', 'does not end'],
  ['7', 'ends in 7 days'],
  ['30', 'ends in 30 days'],
  ['90', 'ends in 90 days'],
] as const;
const DAY_MS = 86_400_000;

type Token = NonNullable<ReturnType<typeof useTokens>['data']>['tokens'][number];

/** Who may come in from elsewhere, as whom, and for how long. */
export function Tokens(): ReactNode {
  const { data, error } = useTokens();
  const revoke = useMutation({
    mutationFn: (id: string) => ask('DELETE /api/tokens/:id', { id }),
    onSuccess: stale,
  });
  const active = data?.tokens.filter(({ state }) => state === 'active') ?? [];
  const ended = data?.tokens.filter(({ state }) => state !== 'active') ?? [];
  return (
    <>
      <p className="text-soft mb-2">
        An agent on this machine needs none. One elsewhere, or in a container, shows its token; who it is and
        what it sees follows from it, whatever it says.
      </p>
      <NewToken />
      <Refused error={error ?? revoke.error} />
      {!data && !error && <Skeleton rows={3} />}
      {data?.tokens.length === 0 && <p className="text-soft">No token yet.</p>}
      <List label="Tokens" tokens={active} onRevoke={revoke.mutate} />
      {ended.length > 0 && (
        <details className="mt-3">
          <summary className="text-soft py-1">{ended.length} ended or revoked</summary>
          <List label="Tokens that ended" tokens={ended} onRevoke={revoke.mutate} />
        </details>
      )}
    </>
  );
}

type ListProps = Readonly<{ label: string; tokens: readonly Token[]; onRevoke(id: string): void }>;

function List({ label, tokens, onRevoke }: ListProps): ReactNode {
  if (tokens.length === 0) return null;
  return (
    <div className="@container/list -mx-4">
      <Table label={label} columns={COLUMNS}>
        {tokens.map((token) => (
          <Row key={token.id} token={token} onRevoke={() => onRevoke(token.id)} />
        ))}
      </Table>
    </div>
  );
}

const stale = () => queryClient.invalidateQueries({ queryKey: ['tokens'] });

function NewToken(): ReactNode {
  const teams = useTeams();
  const name = useDraft('token agent');
  const [label, setLabel] = useState('');
  const [team, setTeam] = useState('');
  const [days, setDays] = useState('');
  const agent = name.text.trim();
  const make = useMutation({
    mutationFn: () =>
      ask('POST /api/tokens', {
        agent,
        ...(team !== '' && { team }),
        ...(label.trim() !== '' && { label: label.trim() }),
        ...(days !== '' && { expiresAt: Date.now() + Number(days) * DAY_MS }),
      }),
    onSuccess: () => (name.forget(), setLabel(''), stale()),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (agent !== '') make.mutate();
  };
  return (
    <>
      <form aria-label="New token" className="mb-2 flex flex-wrap gap-2" onSubmit={submit}>
        <input
          className="field min-w-40 flex-1"
          aria-label="Name of the agent"
          placeholder="Name of the agent"
          maxLength={200}
          value={name.text}
          onChange={({ target }) => name.set(target.value)}
        />
        <select
          className="field max-w-48"
          aria-label="What it sees"
          value={team}
          onChange={({ target }) => setTeam(target.value)}
        >
          <option value="">sees every project</option>
          {teams.map(({ teamId, name: called }) => (
            <option key={teamId} value={teamId}>
              sees {called}
            </option>
          ))}
        </select>
        <select
          className="field"
          aria-label="How long it lasts"
          value={days}
          onChange={({ target }) => setDays(target.value)}
        >
          {SPANS.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
        <input
          className="field min-w-40 flex-1"
          aria-label="What it is for"
          placeholder="What it is for"
          maxLength={200}
          value={label}
          onChange={({ target }) => setLabel(target.value)}
        />
        <button className="button button-main min-h-8" disabled={agent === '' || make.isPending}>
          Create token
        </button>
      </form>
      <Refused error={make.error} />
      {make.data && (
        <div className="mb-3" role="status">
          <p className="text-soft">
            The token of <strong className="font-medium">{make.data.record.agent}</strong>, shown this once:
          </p>
          <Command text={make.data.token} label="Copy the token" />
        </div>
      )}
    </>
  );
}

/** A run gets one with its beginning: that is where it leads. */
function Purpose({ label }: Readonly<{ label: string | null }>): ReactNode {
  const run = /^run ([0-9a-f]{8}-[0-9a-f-]{27})$/.exec(label ?? '')?.[1];
  if (run === undefined) return <Foreign text={label ?? ''} />;
  return (
    <Link to="/runs/$runId" params={{ runId: run }} className="in-words">
      a run
    </Link>
  );
}

function Row({ token, onRevoke }: Readonly<{ token: Token; onRevoke(): void }>): ReactNode {
  const { agent, team, label, scopes, state, usedAt, expiresAt } = token;
  const isWhole = scopes.includes('*');
  return (
    <li className={`cells ${state === 'active' ? '' : 'text-faint'}`}>
      <Agent name={agent} />
      <span className="truncate">{team === null ? 'every project' : <Foreign text={team} />}</span>
      <span className="text-soft truncate" title={isWhole ? undefined : scopes.join(', ')}>
        <Purpose label={label} />
        {!isWhole && ` (${scopes.join(', ')})`}
      </span>
      <span className="text-meta truncate">
        {state !== 'active' ? (
          state
        ) : (
          <>
            <span className="@min-[740px]/list:sr-only">ends </span>
            {expiresAt === null ? 'never' : <Moment at={expiresAt} />}
          </>
        )}
      </span>
      <span className="text-meta text-faint">{usedAt === null ? 'never used' : <Moment at={usedAt} />}</span>
      {state === 'active' ? (
        <button className="button" aria-label={`Revoke the token of ${agent}`} onClick={onRevoke}>
          Revoke
        </button>
      ) : (
        <span />
      )}
    </li>
  );
}
