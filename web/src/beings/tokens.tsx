import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { Command, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Moment } from '../parts/time.tsx';
import { useBeingTokens, useConsents, type BeingToken } from './queries.ts';

/** Who may speak for it. A token is shown once, when it is made. */
export function Tokens({ id }: Readonly<{ id: string }>): ReactNode {
  const { data, error } = useBeingTokens(id);
  const [label, setLabel] = useState('');
  const [scope, setScope] = useState<BeingToken['scope']>('full');
  const stale = () => queryClient.invalidateQueries({ queryKey: ['being', id] });
  const make = useMutation({
    mutationFn: () =>
      ask('POST /v1/beings/:id/tokens', { id, scope, label: label.trim() === '' ? undefined : label.trim() }),
    onSuccess: () => (setLabel(''), stale()),
  });
  const revoke = useMutation({
    mutationFn: (token: string) => ask('DELETE /v1/beings/:id/tokens/:tokenId', { id, tokenId: token }),
    onSettled: stale,
  });
  const submit = (event: FormEvent) => (event.preventDefault(), make.mutate());
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4 pb-6" tabIndex={0} aria-label="Tokens">
      <form onSubmit={submit} className="flex max-w-xl flex-wrap gap-2">
        <input
          className="field min-w-0 flex-1"
          aria-label="What it is for"
          placeholder="What it is for"
          maxLength={80}
          value={label}
          onChange={({ target }) => setLabel(target.value)}
        />
        <select
          className="field"
          aria-label="Scope"
          value={scope}
          onChange={({ target }) => setScope(target.value as BeingToken['scope'])}
        >
          <option value="full">full</option>
          <option value="read-only">read-only</option>
        </select>
        <button className="button">Create token</button>
      </form>
      <div className="mt-2 flex max-w-xl flex-col gap-2" aria-live="polite">
        <Refused error={error ?? make.error ?? revoke.error} />
        {make.data && (
          <>
            <p className="text-soft">Shown once and kept nowhere:</p>
            <Command text={make.data.token} />
          </>
        )}
      </div>
      {!data && !error && <Skeleton />}
      <ul className="mt-3">
        {data?.tokens.map((token) => (
          <li key={token.id} className="row border-line flex-wrap border-b">
            <span className="font-medium">
              <Foreign text={token.label ?? token.id} />
            </span>
            <span className="text-soft">{token.scope}</span>
            <span className="text-meta text-faint ml-auto flex gap-3">
              <span>
                made <Moment at={token.createdAt} />
              </span>
              <span>
                {token.usedAt === null ? (
                  'never used'
                ) : (
                  <>
                    used <Moment at={token.usedAt} />
                  </>
                )}
              </span>
              {token.revokedAt !== null && (
                <span>
                  revoked <Moment at={token.revokedAt} />
                </span>
              )}
            </span>
            {token.revokedAt === null && (
              <button className="button" onClick={() => revoke.mutate(token.id)}>
                Revoke
              </button>
            )}
          </li>
        ))}
      </ul>
      <Consents id={id} />
    </div>
  );
}

/** Clients that somebody let in on the consent page. */
function Consents({ id }: Readonly<{ id: string }>): ReactNode {
  const { data, error } = useConsents(id);
  const end = useMutation({
    mutationFn: (consent: string) =>
      ask('DELETE /v1/beings/:id/consents/:consentId', { id, consentId: consent }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['being', id] }),
  });
  return (
    <section aria-label="Clients" className="mt-6">
      <h2 className="section-title mb-1">Clients you let in</h2>
      <Refused error={error ?? end.error} />
      {data?.consents.length === 0 && (
        <p className="text-soft max-w-[70ch]">
          None. A client that signs in by OAuth asks you on a page of this hub, and is listed here from then
          on.
        </p>
      )}
      <ul>
        {data?.consents.map((consent) => (
          <li key={consent.id} className="row border-line flex-wrap border-b">
            <span className="min-w-0 truncate font-medium">
              <Foreign text={consent.client} />
            </span>
            <span className="text-soft">{consent.scope}</span>
            <span className="text-meta text-faint ml-auto flex gap-3">
              <span>
                since <Moment at={consent.since} />
              </span>
              <span title="A client at work fetches a token at least once an hour.">
                last token <Moment at={consent.renewedAt} />
              </span>
            </span>
            <button className="button" onClick={() => end.mutate(consent.id)}>
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
