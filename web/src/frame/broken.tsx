import { Link } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import { Refusal } from '../api/call.ts';
import { useLive } from '../live/live.ts';
import { Refused } from '../parts/empty.tsx';
import { MissingPart } from './later.ts';

const UNREACHABLE = new Refusal(0, {
  error: 'This part of the page could not be fetched: the hub does not answer.',
  hint: 'It comes by itself when the hub is back.',
});
const RELOADED = 'reloaded';
const AGAIN_MS = 10_000;

/** A part of the page that did not arrive, or broke. The rest of the page stands. */
export function Broken({ error }: Readonly<{ error: unknown }>): ReactNode {
  const isMissing = error instanceof MissingPart;
  const { state } = useLive();
  useEffect(() => {
    // The hub is there and the part is not: it was upgraded, and this page is the old one.
    if (!isMissing || state !== 'open') return;
    const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
    if (Date.now() - last < AGAIN_MS) return;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    location.reload();
  }, [isMissing, state]);
  return (
    <div className="flex flex-col items-start gap-2 p-4">
      <h1 className="text-heading font-semibold">
        {isMissing ? 'This view is not here yet' : 'This view broke'}
      </h1>
      {isMissing ? (
        <Refused error={UNREACHABLE} />
      ) : (
        <p className="text-soft max-w-[62ch]">
          That is a mistake of the page, not yours. Nothing that was typed or decided is lost; every other
          view works.
        </p>
      )}
      <span className="flex flex-wrap gap-2 py-1">
        <button className="button button-main" onClick={() => location.reload()}>
          Load the page again
        </button>
        <Link to="/" className="button">
          Go to Now
        </Link>
      </span>
      {!isMissing && (
        <details className="max-w-full">
          <summary className="text-soft">What happened, for a report</summary>
          <pre
            className="bg-sunken mt-2 max-w-full overflow-x-auto rounded-one p-3 font-mono text-[12px]"
            tabIndex={0}
          >
            {error instanceof Error ? (error.stack ?? error.message) : String(error)}
          </pre>
        </details>
      )}
    </div>
  );
}
