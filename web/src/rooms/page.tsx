import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Fragment, useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useTeams } from '../agents/queries.ts';
import { ask, isMissing } from '../api/call.ts';
import { useKeys } from '../frame/keys.ts';
import { afresh, usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Face } from '../parts/face.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { View } from '../parts/page.tsx';
import { BESIDE_CHOSEN, Pane } from '../parts/pane.tsx';
import { Project } from '../parts/project.tsx';
import { Unready } from '../parts/unready.tsx';
import { Moment } from '../parts/time.tsx';
import { PostRow } from './post-row.tsx';
import { Say } from './say.tsx';
import { isOf } from '../frame/of-project.ts';

export function RoomsPage(): ReactNode {
  const { roomId } = useParams({ strict: false });
  const project = useProject();
  const navigate = useNavigate();
  const { data, error } = useQuery({
    queryKey: ['rooms'],
    queryFn: () => ask('GET /api/chat/rooms', { limit: 500 }),
  });
  const [entered, enter] = useState<string>();
  const rooms = (data?.rooms ?? [])
    .filter((room) => isOf(project && `team:${project}`, room.roomId))
    .toSorted((a, b) => b.lastPostAt - a.lastPostAt);
  // Whoever reads here stays here, also when something is said next door.
  const [newest] = rooms;
  if (entered === undefined && newest) enter(newest.roomId);
  const here = rooms.some((room) => room.roomId === entered) ? entered : newest?.roomId;
  const chosen = roomId ?? (project === undefined ? here : `team:${project}`);
  const step = (by: number) => () => {
    const at = rooms.findIndex((room) => room.roomId === chosen);
    const next = rooms[Math.max(0, Math.min(rooms.length - 1, at + by))];
    if (next) void navigate({ to: '/rooms/$roomId', params: { roomId: next.roomId }, search: afresh });
  };
  useKeys('Rooms', {
    ']': { does: 'Next room', run: step(1) },
    '[': { does: 'Room before', run: step(-1) },
  });
  return (
    <View
      title="Rooms"
      about="What agents, the hub and you say to each other: one room a project."
      // Where there is no room yet, nothing stands beside the words that say so.
      {...(chosen !== undefined && { pair: roomId === undefined ? 'list' : 'chosen' })}
      detail={chosen !== undefined && <Room key={chosen} roomId={chosen} isChosen={roomId !== undefined} />}
    >
      {!data ? (
        <Unready error={error} />
      ) : rooms.length === 0 ? (
        <Empty
          title="No room has been used yet"
          command="holdfast chat post 'Good morning.'"
          action={
            <Link to="/settings" search={afresh} className="button button-main">
              Attach a client
            </Link>
          }
        >
          Every project has a room. Agents post there with <code>team_chat_post</code>, the hub tells what
          happens on the board, and you can say something, too.
        </Empty>
      ) : (
        <ul aria-label="Rooms">
          {rooms.map((room) => (
            <li key={room.roomId} className="border-line border-b">
              <Link
                to="/rooms/$roomId"
                params={{ roomId: room.roomId }}
                search={afresh}
                aria-current={room.roomId === chosen ? 'true' : undefined}
                className={`row min-h-10 px-4 ${room.roomId === chosen ? BESIDE_CHOSEN : 'hover:bg-sunken'}`}
              >
                <Project id={room.roomId.replace(/^team:/, '')} />
                <span className="ml-auto shrink-0 font-normal">
                  <Moment at={room.lastPostAt} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </View>
  );
}

/** A room of a project is called like it. */
function useNameOf(): (roomId: string) => string {
  const teams = useTeams();
  return (roomId) => {
    const id = roomId.replace(/^team:/, '');
    return teams.find(({ teamId }) => teamId === id)?.name ?? id;
  };
}

type RoomProps = Readonly<{ roomId: string; isChosen: boolean }>;

function Room({ roomId, isChosen }: RoomProps): ReactNode {
  const name = useNameOf()(roomId);
  const { at } = usePlace();
  const setPlace = useSetPlace();
  const sought = at !== undefined && /^\d{1,12}$/.test(at) ? Number(at) : undefined;
  const { data, error } = useQuery({
    queryKey: ['room', roomId, sought],
    queryFn: () =>
      ask('GET /api/chat/rooms/:roomId/posts', {
        roomId,
        limit: 200,
        ...(sought !== undefined && { before: sought + 60 }),
      }),
  });
  const posts = useMemo(() => data?.posts.toReversed() ?? [], [data]);
  const speakers = useMemo(
    () => posts.flatMap(({ kind, authorAgentId }) => (kind === 'peer' ? [authorAgentId] : [])),
    [posts],
  );
  const first = posts[0]?.seq ?? 1;
  const [end, isAway, onScroll] = useStick(posts.at(-1)?.seq, sought !== undefined);
  const isThere = data !== undefined;
  useEffect(() => {
    if (sought !== undefined && isThere)
      document.getElementById(`post-${sought}`)?.scrollIntoView({ block: 'center' });
  }, [sought, isThere]);
  return (
    <Pane
      label={`Room ${name}`}
      isChosen={isChosen}
      back={{ to: '/rooms', name: 'Rooms' }}
      head={
        <>
          <h2 className="text-title min-w-0 truncate font-semibold">
            <Foreign text={name} />
          </h2>
          <Speakers names={speakers} />
        </>
      }
      box={end}
      onScroll={onScroll}
      foot={
        <>
          {sought !== undefined && (
            <button className="button my-1 self-center" onClick={() => setPlace({ at: undefined })}>
              To the newest
            </button>
          )}
          {isAway > 0 && (
            <button
              className="button my-1 self-center"
              onClick={() => end.current?.scrollTo({ top: end.current.scrollHeight })}
            >
              {isAway} new below
            </button>
          )}
          <Say roomId={roomId} name={name} speakers={speakers} />
        </>
      }
    >
      {error &&
        (isMissing(error) ? (
          <p className="text-soft">
            Nobody has said anything in {name} yet. What you say opens the room; if you looked for another
            one, they are all in the list.
          </p>
        ) : (
          <Refused error={error} />
        ))}
      {!data && !error && <Skeleton />}
      {first > 1 && (
        <button className="quiet mb-2" onClick={() => setPlace({ at: String(first - 1) })}>
          Earlier posts
        </button>
      )}
      <ol className="flex flex-col gap-2.5">
        {posts.map((each, at) => (
          <Fragment key={each.seq}>
            {dayOf(each.createdAt) !== dayOf(posts[at - 1]?.createdAt ?? 0) && (
              <li className="text-meta text-faint flex items-center gap-3 not-first:mt-2">
                <span className="shrink-0">{dayOf(each.createdAt)}</span>
                <span className="bg-line h-px flex-1" aria-hidden="true" />
              </li>
            )}
            <PostRow post={each} isSought={each.seq === sought} />
          </Fragment>
        ))}
      </ol>
    </Pane>
  );
}

const MOST_FACES = 6;

/** Who has spoken here of late, last first. */
function Speakers({ names }: Readonly<{ names: readonly string[] }>): ReactNode {
  const latest = [...new Set(names.toReversed())];
  if (latest.length === 0) return null;
  const shown = latest.slice(0, MOST_FACES);
  return (
    <span className="ml-auto flex gap-1.5" role="img" aria-label={`Spoke here: ${latest.join(', ')}`}>
      {shown.map((name) => (
        <span key={name} title={name} className="flex">
          <Face name={name} size={20} />
        </span>
      ))}
      {latest.length > MOST_FACES && (
        <span className="text-meta text-faint">+{latest.length - MOST_FACES}</span>
      )}
    </span>
  );
}

const dayOf = (at: number): string =>
  new Date(at).toLocaleDateString(undefined, { weekday: 'long', month: 'long', day: 'numeric' });

/** Stays at the end while one is there, and counts what comes when one is not. */
function useStick(last: number | undefined, isElsewhere: boolean) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(!isElsewhere);
  const seen = useRef(last);
  const [away, setAway] = useState(0);
  useLayoutEffect(() => void (isAtEnd.current = !isElsewhere), [isElsewhere]);
  useLayoutEffect(() => {
    if (isAtEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [last]);
  useEffect(() => {
    if (isAtEnd.current) seen.current = last;
    setAway(isAtEnd.current ? 0 : (last ?? 0) - (seen.current ?? 0));
  }, [last]);
  // What a post grows by after it came, such as a card, must not push the end out of sight.
  useEffect(() => {
    const { current } = box;
    const list = current?.querySelector('ol');
    if (!current || !list) return undefined;
    const watch = new ResizeObserver(() => isAtEnd.current && (current.scrollTop = current.scrollHeight));
    watch.observe(list);
    return () => watch.disconnect();
  }, []);
  const top = useRef(0);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current!;
    // What grew since it was scrolled to its end is no sign that somebody went up.
    const isUp = scrollTop < top.current;
    top.current = scrollTop;
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40 || (isAtEnd.current && !isUp);
    if (!isAtEnd.current) return;
    seen.current = last;
    setAway(0);
  };
  return [box, away, onScroll] as const;
}
