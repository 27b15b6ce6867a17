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
      <Refused error={isMissing ? UNREACHABLE : new Error(`This view broke: ${(error as Error).message}`)} />
      <button className="button" onClick={() => location.reload()}>
        Load the page again
      </button>
    </div>
  );
}
