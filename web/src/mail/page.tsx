import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { PeerMessage } from '../../../src/features/peers/mail/message.ts';
import { afresh, usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { Empty } from '../parts/empty.tsx';
import { Quoted } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Switch, View } from '../parts/page.tsx';
import { BESIDE_CHOSEN, Pane } from '../parts/pane.tsx';
import { Moment } from '../parts/time.tsx';
import { Unready } from '../parts/unready.tsx';
import { useMail } from './queries.ts';
import { NewLetter, Write } from './write.tsx';
import { isOf } from '../frame/of-project.ts';

const STATES: Readonly<Record<PeerMessage['state'], string>> = {
  queued: 'waits to be fetched',
  delivered: 'fetched, not confirmed',
  acked: 'confirmed',
  expired: 'never fetched',
};
const COLOURS: Partial<Record<PeerMessage['state'], string>> = { expired: 'text-amber', acked: 'text-kelp' };

/** The one entry that is no peer: everybody's letters. It has an address, too, for where the list gives way to it. */
const EVERYBODY = '*';

/** Who is on the mesh, what they wrote to each other, and how far each letter came. */
export function MailPage(): ReactNode {
  const { view, at, q } = usePlace();
  const project = useProject();
  const setPlace = useSetPlace();
  const isDead = view === 'expired';
  const { data, error } = useMail(isDead ? 'expired' : undefined);
  const [isWriting, setWriting] = useState(false);
  const letters = (data?.messages ?? []).filter(({ from_team, to_team }) =>
    isOf(project, from_team, to_team),
  );
  const here = (data?.peers ?? []).filter(({ team }) => isOf(project, team));
  // Whoever was written to has an address that lasts, here or not.
  const known = letters.map(({ to_agent, circle }) => ({ agent_id: to_agent, circle, status: 'offline' }));
  const peers = [...new Map([...known, ...here].map((peer) => [peer.agent_id, peer])).values()].sort((a, b) =>
    a.agent_id.localeCompare(b.agent_id),
  );
  const peer = at === EVERYBODY ? undefined : at;
  // Nobody to choose and nothing to read: the sentence that says so stands where the list would.
  const isStill = data !== undefined && peer === undefined && letters.length === 0 && peers.length === 0;
  const waiting = (name: string) =>
    letters.filter(({ to_agent, state }) => to_agent === name && state === 'queued').length;
  const open = (to: string) => (setWriting(false), setPlace({ at: to }, true));
  return (
    <View
      title="Mail"
      about="Letters between agents, with receipts: delivered means fetched, not hoped for."
      aside={
        <>
          <Switch
            label="Which"
            value={isDead ? 'expired' : 'all'}
            options={[
              ['all', 'All'],
              ['expired', 'Dead letters'],
            ]}
            onChange={(next) => setPlace({ view: next === 'expired' ? next : undefined })}
          />
          {peers.length > 0 && (
            <button
              className="button button-main"
              onClick={() => (setPlace({ at: EVERYBODY, view: undefined }, true), setWriting(true))}
            >
              <Icon name="plus" size={12} /> New letter
            </button>
          )}
        </>
      }
      {...(!isStill && { pair: at === undefined && q === undefined ? 'list' : 'chosen' })}
      detail={
        data &&
        !isStill && (
          <Pane
            key={peer}
            label={peer === undefined ? 'Letters of everybody' : `Letters of ${peer}`}
            isChosen={at !== undefined || q !== undefined}
            back={{ to: '/mail', name: 'Mail' }}
            head={
              <h2 className="text-title min-w-0 truncate font-semibold">
                {peer === undefined ? 'Everybody' : <Agent name={peer} size={20} />}
              </h2>
            }
          >
            {isWriting && peer === undefined && (
              <NewLetter names={peers.map(({ agent_id }) => agent_id)} onDone={() => setWriting(false)} />
            )}
            <Letters
              all={letters}
              peer={peer}
              isDead={isDead}
              write={peers.length > 0 && !isWriting && (() => setWriting(true))}
            />
          </Pane>
        )
      }
    >
      {!data ? (
        <Unready error={error} />
      ) : isStill ? (
        <NoLetters isDead={isDead} write={false} />
      ) : (
        <ul aria-label="Peers">
          <Entry isChosen={peer === undefined} onOpen={() => open(EVERYBODY)}>
            Everybody
          </Entry>
          {peers.map(({ agent_id, status, circle }) => (
            <Entry key={agent_id} isChosen={peer === agent_id} onOpen={() => open(agent_id)}>
              <Agent name={agent_id} life={status === 'offline' ? 'gone' : 'living'} />
              <span className="text-meta text-faint ml-auto truncate font-normal">
                {waiting(agent_id) > 0 ? `${waiting(agent_id)} to fetch` : circle !== 'default' ? circle : ''}
              </span>
            </Entry>
          ))}
        </ul>
      )}
    </View>
  );
}

type EntryProps = Readonly<{ isChosen: boolean; onOpen(): void; children: ReactNode }>;

function Entry({ isChosen, onOpen, children }: EntryProps): ReactNode {
  return (
    <li className="border-line border-b">
      <button
        className={`row min-h-10 w-full px-4 text-left ${isChosen ? BESIDE_CHOSEN : 'hover:bg-sunken'}`}
        aria-current={isChosen ? 'true' : undefined}
        onClick={onOpen}
      >
        {children}
      </button>
    </li>
  );
}

type LettersProps = Readonly<{
  all: readonly PeerMessage[];
  peer: string | undefined;
  isDead: boolean;
  /** False where there is nobody to write to, or a letter is being written. */
  write: false | (() => void);
}>;

function Letters({ all, peer, isDead, write }: LettersProps): ReactNode {
  const { q } = usePlace();
  const setPlace = useSetPlace();
  const [replyTo, setReplyTo] = useState<PeerMessage | undefined>();
  const words = (q ?? '').toLowerCase().split(/\s+/);
  const shown = all.filter(
    ({ from_agent, to_agent, text }) =>
      (peer === undefined || from_agent === peer || to_agent === peer) &&
      words.every((word) => `${text} ${from_agent} ${to_agent}`.toLowerCase().includes(word)),
  );
  return (
    <>
      {peer !== undefined && !isDead && (
        <Write to={peer} replyTo={replyTo} letters={all} onDone={() => setReplyTo(undefined)} />
      )}
      {q !== undefined && (
        <p className="text-soft mb-3">
          Letters with <strong className="font-medium">{q}</strong>.{' '}
          <button className="quiet" onClick={() => setPlace({ q: undefined })}>
            Show all
          </button>
        </p>
      )}
      {shown.length === 0 ? (
        <div className="-mx-4">
          <NoLetters isDead={isDead} write={peer === undefined && write} />
        </div>
      ) : (
        <ol className="flex flex-col gap-3">
          {shown.map((message) => (
            <li key={message.id}>
              <Quoted
                by={
                  <>
                    <Agent name={message.from_agent} />
                    <Icon name="right" size={11} />
                    <Agent name={message.to_agent} />
                    <span className={COLOURS[message.state] ?? ''}>{STATES[message.state]}</span>
                    <Moment at={message.timestamp} />
                    {peer !== undefined && message.from_agent === peer && (
                      <button className="quiet -my-1" onClick={() => setReplyTo(message)}>
                        Reply
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
    </>
  );
}

type NoLettersProps = Readonly<{
  isDead: boolean;
  /** False where there is nobody to write to, or a field for it stands above. */
  write: false | (() => void);
}>;

function NoLetters({ isDead, write }: NoLettersProps): ReactNode {
  const { at } = usePlace();
  const setPlace = useSetPlace();
  if (isDead)
    return (
      <Empty
        title="Every letter was fetched"
        action={
          <button className="button" onClick={() => setPlace({ view: undefined })}>
            All letters
          </button>
        }
      >
        A letter that nobody fetches in time is kept here, so that silence is never mistaken for an answer.
      </Empty>
    );
  const attach = (
    <Link to="/settings" search={afresh} className="button">
      Attach a client
    </Link>
  );
  const own = write && (
    <button className="button button-main" onClick={write}>
      Write a letter
    </button>
  );
  return (
    <Empty
      title="No letters yet"
      action={own || (at === undefined || at === EVERYBODY ? attach : undefined)}
      command={'holdfast peer send codex "Are the tests green?"'}
    >
      Agents write to each other with PeerSend; each letter waits at a durable address until it is fetched.
    </Empty>
  );
}
