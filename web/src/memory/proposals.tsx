import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { Proposal } from '../../../src/features/sessions/lessons/proposal.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useDraft } from '../drafts/use-draft.ts';
import { afresh } from '../frame/place.ts';
import { Empty, Refused } from '../parts/empty.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Moment } from '../parts/time.tsx';
import { Unready } from '../parts/unready.tsx';
import { useScope } from './scope.ts';

const SAYS: Readonly<Record<Proposal['kind'], string>> = {
  told: 'You said so',
  corrected: 'You corrected an agent',
  solved: 'An error met twice, and solved',
  worked: 'A command that worked in the end',
};

/** Moments of sessions that look like lessons: a person says which of them are. */
export function Proposals(): ReactNode {
  const { scopeTeamId: project } = useScope();
  const { data, error } = useQuery({
    queryKey: ['memory', 'proposals', project],
    queryFn: () => ask('GET /api/memory/proposals', project === undefined ? {} : { project }),
  });
  if (!data) return <Unready error={error} />;
  if (data.proposals.length === 0)
    return (
      <Empty
        title="Nothing is offered"
        action={
          <Link to="/sessions" search={afresh} className="button">
            Sessions that are read
          </Link>
        }
        command="holdfast memory proposals"
      >
        Where your sessions are read, moments that look like lessons are listed here: what you told or
        corrected, and commands that worked in the end. Nothing is saved unless you say so.
      </Empty>
    );
  return (
    <ol>
      {data.proposals.map((proposal) => (
        <Offered key={proposal.id} proposal={proposal} />
      ))}
    </ol>
  );
}

function Offered({ proposal }: Readonly<{ proposal: Proposal }>): ReactNode {
  const { id, kind, title, text, at, client, project, sessionId, turn } = proposal;
  const [isEditing, setEditing] = useState(false);
  const heading = useDraft(`lesson title ${id}`, { base: title });
  const words = useDraft(`lesson ${id}`, { base: text });
  const done = () => {
    heading.forget();
    words.forget();
    return queryClient.invalidateQueries({ queryKey: ['memory'] });
  };
  const accept = useMutation({
    mutationFn: () =>
      ask('POST /api/memory/proposals/:id/accept', {
        id,
        ...(isEditing && { title: heading.text, text: words.text }),
      }),
    onSuccess: done,
  });
  const reject = useMutation({
    mutationFn: () => ask('POST /api/memory/proposals/:id/reject', { id }),
    onSuccess: done,
  });
  const submit = (event: FormEvent) => (event.preventDefault(), accept.mutate());
  const isBusy = accept.isPending || reject.isPending;
  return (
    <li className="border-line border-b px-4 py-3">
      <form onSubmit={submit} aria-label={`Proposal: ${title}`} className="flex max-w-3xl flex-col gap-2">
        <p className="flex items-baseline gap-3">
          <span className="text-meta text-soft">
            {SAYS[kind]}, in{' '}
            <Link
              to="/sessions/$sessionId"
              params={{ sessionId }}
              search={{ at: String(turn) }}
              className="text-tide underline"
            >
              a session of {client}
            </Link>
            {project !== null && ` (${project})`}
          </span>
          <Moment at={at} className="ml-auto" />
        </p>
        {isEditing ? (
          <>
            <input
              className="field"
              aria-label="Title"
              value={heading.text}
              onChange={({ target }) => heading.set(target.value)}
            />
            <textarea
              className="field min-h-20"
              aria-label="Text"
              value={words.text}
              onChange={({ target }) => words.set(target.value)}
            />
          </>
        ) : (
          <>
            <p className="font-medium">
              <Foreign text={title} />
            </p>
            {text !== title && (
              <Quoted>
                <p className="[overflow-wrap:anywhere]" dir="auto">
                  <Foreign text={text} />
                </p>
              </Quoted>
            )}
          </>
        )}
        <p className="flex items-center gap-2">
          <button type="submit" className="button button-main" disabled={isBusy}>
            Remember
          </button>
          <button type="button" className="button" disabled={isBusy} onClick={() => setEditing(!isEditing)}>
            {isEditing ? 'Reset' : 'Edit'}
          </button>
          <button type="button" className="button" disabled={isBusy} onClick={() => reject.mutate()}>
            Reject
          </button>
        </p>
        <Refused error={accept.error ?? reject.error} />
      </form>
    </li>
  );
}
