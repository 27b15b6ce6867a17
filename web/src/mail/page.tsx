import { useState, type FormEvent, type ReactNode } from 'react';
import type { PeerMessage } from '../../../src/features/peers/message.ts';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { usePlace, useSetPlace } from '../frame/place.ts';
import { Alive } from '../parts/agent.tsx';
import { Empty, Refused } from '../parts/empty.tsx';
import { Unready } from '../parts/unready.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { PageHead, Switch } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { useMail, useSend } from './queries.ts';

const STATES: Readonly<Record<PeerMessage['state'], string>> = {
  queued: 'waits to be fetched',
  delivered: 'fetched, not confirmed',
  acked: 'confirmed',
  expired: 'never fetched',
};

/** Who is on the mesh, what they wrote to each other, and how far each letter came. */
export function MailPage(): ReactNode {
  const { view, at, q } = usePlace();
  const setPlace = useSetPlace();
  const isDead = view === 'expired';
  const { data, error } = useMail(isDead ? 'expired' : undefined);
  const [replyTo, setReplyTo] = useState<PeerMessage | undefined>();
  if (!data) return <Unready error={error} />;
  const words = (q ?? '').toLowerCase().split(/\s+/);
  const messages = data.messages.filter(
    ({ from_agent, to_agent, text }) =>
      (at === undefined || from_agent === at || to_agent === at) &&
      words.every((word) => `${text} ${from_agent} ${to_agent}`.toLowerCase().includes(word)),
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHead
        title="Mail"
        aside={
          <Switch
            label="Which"
            value={isDead ? 'expired' : 'all'}
            options={[
              ['all', 'All'],
              ['expired', 'Dead letters'],
            ]}
            onChange={(next) => setPlace({ view: next === 'expired' ? next : undefined })}
          />
        }
      >
        Letters between agents, with receipts: delivered means fetched, not hoped for.
      </PageHead>
      <div className="border-line flex min-h-0 flex-1 flex-col border-t md:flex-row">
        <nav
          aria-label="Peers"
          className="border-line flex shrink-0 gap-1 overflow-x-auto border-b p-2 md:w-56 md:flex-col md:overflow-y-auto md:border-r md:border-b-0"
        >
          <button
            className={`row shrink-0 rounded-one px-2 text-left ${at === undefined ? 'bg-sunken font-medium' : 'text-soft'}`}
            onClick={() => setPlace({ at: undefined })}
          >
            Everybody
          </button>
          {[...new Map(data.peers.map((peer) => [peer.agent_id, peer])).values()].map(
            ({ agent_id, display_name, status, circle }) => (
              <button
                key={agent_id}
                className={`row min-w-0 shrink-0 rounded-one px-2 text-left ${at === agent_id ? 'bg-sunken font-medium' : 'text-soft hover:text-ink'}`}
                onClick={() => setPlace({ at: agent_id })}
              >
                <Alive life={status === 'offline' ? 'gone' : 'living'} />
                <span className="truncate">
                  <Foreign text={display_name} />
                </span>
                <span className="text-meta text-faint ml-auto truncate">{circle}</span>
              </button>
            ),
          )}
        </nav>
        <div className="min-h-0 flex-1 overflow-y-auto px-4 py-3" tabIndex={0}>
          {at !== undefined && !isDead && (
            <Write
              key={at}
              to={at}
              replyTo={replyTo}
              letters={data.messages}
              onDone={() => setReplyTo(undefined)}
            />
          )}
          {q !== undefined && (
            <p className="text-soft mb-3">
              Letters with <strong className="font-medium">{q}</strong>.{' '}
              <button className="quiet" onClick={() => setPlace({ q: undefined })}>
                Show all
              </button>
            </p>
          )}
          {messages.length === 0 ? (
            <Empty
              title={isDead ? 'Every letter was fetched' : 'No letters yet'}
              command={isDead ? undefined : 'holdfast peer send codex "Are the tests green?"'}
            >
              {isDead
                ? 'A letter that nobody fetches in time is kept here, so that silence is never mistaken for an answer.'
                : 'Agents write to each other with PeerSend; each letter waits at a durable address until it is fetched.'}
            </Empty>
          ) : (
            <ol className="flex flex-col gap-3">
              {messages.map((message) => (
                <li key={message.id}>
                  <Quoted
                    by={
                      <>
                        <span className="text-ink font-medium">
                          <Foreign text={message.from_agent} />
                        </span>
                        <Icon name="right" size={11} /> <Foreign text={message.to_agent} />
                        <span
                          className={
                            message.state === 'expired'
                              ? 'text-amber'
                              : message.state === 'acked'
                                ? 'text-kelp'
                                : ''
                          }
                        >
                          {STATES[message.state]}
                        </span>
                        <Moment at={message.timestamp} />
                        {at !== undefined && message.from_agent === at && (
                          <button className="quiet -my-1" onClick={() => setReplyTo(message)}>
                            Answer
                          </button>
                        )}
                      </>
                    }
                  >
                    <Markdown text={message.text} />
                  </Quoted>
                </li>
              ))}
            </ol>
          )}
        </div>
      </div>
    </div>
  );
}

type Writing = Readonly<{
  to: string;
  replyTo: PeerMessage | undefined;
  letters: readonly PeerMessage[];
  onDone(): void;
}>;

function Write({ to, replyTo: chosen, letters, onDone }: Writing): ReactNode {
  const draft = useDraft(`mail ${to}`);
  const { text } = draft;
  // What was begun as an answer stays one.
  const replyTo = chosen ?? letters.find(({ id }) => id === draft.about?.['answers']);
  const write = (words: string) => draft.set(words, replyTo && { answers: replyTo.id });
  const send = useSend();
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (text.trim() === '') return;
    send.mutate(
      { to, text, ...(replyTo && { replyTo: replyTo.id }) },
      { onSuccess: () => (draft.forget(), onDone()) },
    );
  };
  return (
    <form onSubmit={submit} className="mb-4 flex flex-col gap-2">
      <textarea
        className="field w-full"
        rows={2}
        aria-label={`Write to ${to}`}
        placeholder={
          replyTo
            ? `Answer “${replyTo.text.slice(0, 60)}”`
            : `Write to ${to}; it comes along with the answer to its next call.`
        }
        value={text}
        onChange={({ target }) => write(target.value)}
        onKeyDown={(event) => event.key === 'Enter' && (event.metaKey || event.ctrlKey) && submit()}
      />
      {text !== '' && (
        <div className="flex flex-wrap items-center justify-end gap-2">
          <Discard drafts={[draft]} onDiscard={onDone} />
          <button className="button" disabled={send.isPending}>
            Send
          </button>
        </div>
      )}
      <Refused error={send.error} />
    </form>
  );
}
