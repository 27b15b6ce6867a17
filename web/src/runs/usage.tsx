import type { ReactNode } from 'react';
import { useNow } from '../parts/clock.ts';
import { span } from '../parts/time.tsx';
import type { Run } from './queries.ts';
import { isOpen } from './state.tsx';

/** What it took: tokens, turns, money and time, on one line. */
export function Usage({ run }: Readonly<{ run: Run }>): ReactNode {
  const now = useNow();
  const { usage, cost_usd: cost, started_at: began, closed_at: closed } = run;
  const ms =
    began === undefined ? undefined : (closed === undefined ? now : Date.parse(closed)) - Date.parse(began);
  const cached = usage ? usage.cacheRead + usage.cacheWrite : 0;
  const parts = [
    usage && `${short(usage.inputUncached + cached)} tokens read`,
    cached > 0 && `${short(cached)} of them cached`,
    usage && `${short(usage.output + usage.reasoning)} written`,
    usage && usage.turns > 1 && `${usage.turns} turns`,
    cost !== undefined && `$${cost.toFixed(2)}`,
    ms !== undefined && ms >= 1000 && (ms < 60_000 ? `${Math.round(ms / 1000)} s` : span(ms)),
  ].filter((each) => typeof each === 'string');
  if (parts.length === 0) return null;
  return (
    <p className="text-meta text-faint" aria-label="What it took">
      {usage?.basis === 'lower_bound' && 'at least '}
      {parts.join(' · ')}
      {isOpen(run) && ' so far'}
    </p>
  );
}

/** A number of tokens, as people compare them. */
export function short(count: number): string {
  if (count >= 1e6) return `${(count / 1e6).toFixed(count < 1e7 ? 1 : 0)}M`;
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`;
}
