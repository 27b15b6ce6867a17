import { useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react';
import { isBuildOutdated, watchBuild } from '../live/build.ts';
import { useLive } from '../live/live.ts';
import { exact } from '../parts/time.tsx';

/** Says when what is shown may be old, what was missed once it is not, and when a newer page is there. Otherwise nothing. */
export function LiveLine(): ReactNode {
  const { state, since, events } = useLive();
  const isOutdated = useSyncExternalStore(watchBuild, isBuildOutdated);
  const [missed, setMissed] = useState<number | undefined>();
  const lostAt = useRef<number | undefined>(undefined);

  useEffect(() => {
    if (state === 'lost') lostAt.current ??= events.at(-1)?.seq ?? 0;
    if (state !== 'open' || lostAt.current === undefined) return undefined;
    const timer = setTimeout(() => {
      const from = lostAt.current ?? 0;
      lostAt.current = undefined;
      setMissed(events.filter(({ seq }) => seq > from).length);
      setTimeout(() => setMissed(undefined), 6000);
    }, 800);
    return () => clearTimeout(timer);
  }, [state, events]);

  const text =
    state === 'lost'
      ? `The hub does not answer. What you see is from ${exact(since)}; this page comes back by itself.`
      : state === 'refused'
        ? 'The hub asks who you are. Run `holdfast open` to sign this browser in.'
        : missed !== undefined
          ? `The hub is back. ${missed === 0 ? 'Nothing happened meanwhile.' : `${missed} ${missed === 1 ? 'thing' : 'things'} happened meanwhile; all of it is shown.`}`
          : undefined;
  if (text === undefined && !isOutdated) return <div role="status" className="contents" />;
  return (
    <div role="status" className="bg-amber-wash border-line flex items-center gap-3 border-b px-4 py-1.5">
      <span>{text ?? 'A newer page is here. It waits until you have finished typing.'}</span>
      {isOutdated && (
        <button className="button" onClick={() => location.reload()}>
          Load it now
        </button>
      )}
    </div>
  );
}
