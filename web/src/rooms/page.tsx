import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { ask, isMissing } from '../api/call.ts';
import { usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Unready } from '../parts/unready.tsx';
import { Moment } from '../parts/time.tsx';
import { PostRow } from './post-row.tsx';
import { Say } from './say.tsx';

export function RoomsPage(): ReactNode {
  const { roomId } = useParams({ strict: false });
  const project = useProject();
  const { data, error } = useQuery({
    queryKey: ['rooms'],
    queryFn: () => ask('GET /api/chat/rooms', { limit: 500 }),
  });
  const [entered, enter] = useState<string>();
  if (!data) return <Unready error={error} />;
  const rooms = data.rooms.toSorted((a, b) => b.lastPostAt - a.lastPostAt);
  // Whoever reads here stays here, also when something is said next door.
  const [newest] = rooms;
  if (entered === undefined && newest) enter(newest.roomId);
  const chosen = roomId ?? (project === undefined ? (entered ?? newest?.roomId) : `team:${project}`);
  if (chosen === undefined)
    return (
      <Empty isPage title="No room has been used yet" command="holdfast chat post 'Good morning.'">
        Every project has a room. Agents post there with <code>team_chat_post</code>, the hub tells what
        happens on the board, and you can say something, too.
      </Empty>
    );
  return (
    <div className="flex min-h-0 flex-1 flex-col md:flex-row">
      <nav
        aria-label="Rooms"
        className="border-line flex shrink-0 gap-1 overflow-x-auto border-b p-2 md:w-56 md:flex-col md:overflow-y-auto md:border-r md:border-b-0"
      >
        <h1 className="section-title hidden px-2 pb-1 md:block">Rooms</h1>
        {rooms.map((room) => (
          <Link
            key={room.roomId}
            to="/rooms/$roomId"
            params={{ roomId: room.roomId }}
            className={`row shrink-0 rounded-one px-2 ${room.roomId === chosen ? 'bg-sunken font-medium' : 'text-soft hover:text-ink'}`}
          >
            <span className="truncate">{nameOf(room.roomId)}</span>
            <span className="ml-auto hidden md:inline">
              <Moment at={room.lastPostAt} />
            </span>
          </Link>
        ))}
      </nav>
      <Room key={chosen} roomId={chosen} />
    </div>
  );
}

function nameOf(roomId: string): string {
  return roomId.replace(/^team:/, '');
}

function Room({ roomId }: Readonly<{ roomId: string }>): ReactNode {
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
    retry: false,
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
    <section aria-label={`Room ${nameOf(roomId)}`} className="flex min-h-0 flex-1 flex-col">
      <div ref={end} onScroll={onScroll} className="min-h-0 flex-1 overflow-y-auto px-4 py-3" tabIndex={0}>
        {error &&
          (isMissing(error) ? (
            <p className="text-soft">
              Nobody has said anything in {nameOf(roomId)} yet. What you say opens the room; if you looked for
              another one, they are all in the list.
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
        <ol className="flex flex-col gap-2">
          {posts.map((each) => (
            <PostRow key={each.seq} post={each} isSought={each.seq === sought} />
          ))}
        </ol>
      </div>
      {sought !== undefined && (
        <button className="button self-center" onClick={() => setPlace({ at: undefined })}>
          To the newest
        </button>
      )}
      {isAway > 0 && (
        <button
          className="button self-center"
          onClick={() => end.current?.scrollTo({ top: end.current.scrollHeight })}
        >
          {isAway} new below
        </button>
      )}
      <Say roomId={roomId} name={nameOf(roomId)} speakers={speakers} />
    </section>
  );
}

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
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current!;
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
    if (!isAtEnd.current) return;
    seen.current = last;
    setAway(0);
  };
  return [box, away, onScroll] as const;
}
