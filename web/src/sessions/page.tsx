import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useKeys } from '../frame/keys.ts';
import { usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Table, View, ViewClosed, ViewUnready } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { SessionDrawer } from './document.tsx';
import { Moments } from './moments.tsx';
import { Off } from './off.tsx';
import { type ClientSession, useSessionClients, useSessions } from './queries.ts';
import { useTitleOf } from './title.ts';

const COLUMNS = [
  ['Session', 'minmax(10rem,2fr)'],
  ['Client', '9rem'],
  ['Project', 'minmax(6rem,1fr)'],
  ['Turns', '5rem'],
  ['Cost', '4rem'],
  ['Last', '6rem'],
] as const;

const ABOUT = 'What was said, tried and decided with every client; yours alone, on this machine.';

/** What was said with every client: the timeline of a project, a line to search it, a session as a document. */
export function SessionsPage(): ReactNode {
  const { sessionId } = useParams({ strict: false });
  const { q = '' } = usePlace();
  const project = useProject();
  const navigate = useNavigate();
  const { data: state, error } = useSessionClients();
  if (error)
    return (
      <ViewClosed error={error} what="Sessions">
        <Off />
      </ViewClosed>
    );
  if (!state) return <ViewUnready />;
  if (!state.isOn && state.clients.length === 0)
    return (
      <View title="Sessions" about={ABOUT}>
        <Off />
      </View>
    );
  const moved = state.clients.filter(({ format }) => format === 'moved').map(({ client }) => client);
  return (
    <View
      title="Sessions"
      about={ABOUT}
      aside={
        <Link to="/why" className="button">
          Why is a line so?
        </Link>
      }
      filter={<SearchLine key={q} q={q} />}
      detail={
        sessionId !== undefined && (
          <SessionDrawer
            key={sessionId}
            id={sessionId}
            onClose={() => void navigate({ to: '/sessions', search: true })}
          />
        )
      }
    >
      {moved.length > 0 && (
        <p className="text-amber px-4 pt-2">
          The format of {moved.join(', ')} moved: new lines are kept and not understood. Upgrade Holdfast.
        </p>
      )}
      {q === '' ? <Timeline project={project} chosen={sessionId} /> : <Moments query={q} project={project} />}
    </View>
  );
}

/** The question stands in the address when it is asked, not at every key. */
function SearchLine({ q }: Readonly<{ q: string }>): ReactNode {
  const [text, setText] = useState(q);
  const setPlace = useSetPlace();
  const ask = (event: FormEvent) => {
    event.preventDefault();
    setPlace({ q: text.trim() === '' ? undefined : text.trim() }, true);
  };
  return (
    <form role="search" onSubmit={ask} className="w-full max-w-lg">
      <input
        className="field w-full"
        aria-label="Search sessions"
        placeholder='words, "a phrase", file:src/app.ts, error:'
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </form>
  );
}

function Timeline({
  project,
  chosen,
}: Readonly<{ project: string | undefined; chosen: string | undefined }>): ReactNode {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useSessions(project);
  const navigate = useNavigate();
  const sessions = data?.pages.flatMap((page) => page.sessions) ?? [];
  const step = (by: number) => () => {
    const at = sessions.findIndex(({ id }) => id === chosen);
    const next = sessions[Math.max(0, Math.min(sessions.length - 1, at + by))];
    if (next) void navigate({ to: '/sessions/$sessionId', params: { sessionId: next.id }, search: true });
  };
  useKeys('Sessions', {
    j: { does: 'Next session', run: step(1) },
    k: { does: 'Session before', run: step(-1) },
    ']': { does: 'Next session', run: step(1) },
    '[': { does: 'Session before', run: step(-1) },
  });
  if (error) return <Refused error={error} />;
  if (!data) return <Skeleton />;
  if (sessions.length === 0)
    return (
      <Empty title="No session here yet" command="holdfast sessions sync">
        Sessions are read little by little. To read everything now:
      </Empty>
    );
  return (
    <>
      {[...Map.groupBy(sessions, ({ endedAt }) => dayOf(endedAt))].map(([day, of], at) => (
        <section key={day} aria-label={day}>
          <h2 className="section-title px-4 pt-3 pb-1">{day}</h2>
          <Table label={`Sessions of ${day}`} columns={COLUMNS} isFurther={at > 0}>
            {of.map((session) => (
              <Row key={session.id} session={session} isChosen={session.id === chosen} />
            ))}
          </Table>
        </section>
      ))}
      {hasNextPage && (
        <button className="button m-4" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Earlier
        </button>
      )}
    </>
  );
}

const dayOf = (at: number): string =>
  new Date(at).toLocaleDateString(undefined, {
    weekday: 'long',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
  });

function Row({ session, isChosen }: Readonly<{ session: ClientSession; isChosen: boolean }>): ReactNode {
  const { id, client, project, folder, title, turns, costUsd, endedAt } = session;
  const titleOf = useTitleOf();
  return (
    <li>
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId: id }}
        search
        className={`cells hover:bg-sunken ${isChosen ? 'bg-chosen' : ''}`}
      >
        <span className="truncate font-medium">
          <Foreign text={titleOf(title)} />
        </span>
        <Agent name={client} client={client} />
        <span className="text-soft truncate">
          <Foreign text={project ?? folder?.split('/').at(-1) ?? ''} />
        </span>
        <span className="text-meta text-faint tabular-nums">{turns} turns</span>
        <span className="text-meta text-faint tabular-nums">
          {costUsd !== null && costUsd >= 0.005 && `$${costUsd.toFixed(2)}`}
        </span>
        <Moment at={endedAt} />
      </Link>
    </li>
  );
}
