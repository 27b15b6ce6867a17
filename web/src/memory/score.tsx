import type { ReactNode } from 'react';
import type { MemoryHit } from '../../../src/features/memory/fact.ts';
import { Foreign } from '../parts/foreign.tsx';

/** What each signal is, as people would say it. */
const SIGNALS: Readonly<Record<string, string>> = {
  item: 'its own words',
  coverage: 'how much of the question it has',
  topic: 'its topic',
  party: 'who took part',
  self: 'it is about the asker',
  question: 'the question before it',
  before: 'what was said before it',
  likely: 'it sounds like an answer',
  length: 'its length',
  lead: 'it leads its occasion',
  prior: 'how it was used before',
  title: 'words of its title',
  phrase: 'words that stand together',
  window: 'what was said beside it',
  episode: 'what was said on that occasion',
  vector: 'its meaning',
  answer: 'it answers such a question',
  speaker: 'who said it',
  date: 'its date',
  temporal: 'it tells a time',
  moment: 'it tells a time',
  number: 'it tells a number',
};

/** A score, drawn, and why in words. What each signal added is one look away. */
export function Score({ hit }: Readonly<{ hit: MemoryHit }>): ReactNode {
  const signals: Readonly<Record<string, number>> = typeof hit.why === 'object' ? hit.why : {};
  const parts = Object.entries(signals)
    .filter(([, value]) => Math.abs(value) >= 0.005)
    .sort(([, a], [, b]) => b - a)
    .map(([name, value]) => `${SIGNALS[name] ?? name} ${value > 0 ? '+' : '−'}${Math.abs(value).toFixed(2)}`);
  return (
    <span className="text-meta text-faint flex min-w-0 items-center gap-1.5" title={parts.join('\n')}>
      <span className="bg-line h-[3px] w-10 shrink-0 overflow-hidden rounded-full" aria-hidden="true">
        <span
          className="bg-tide block h-full origin-left"
          style={{ transform: `scaleX(${Math.min(1, hit.score)})` }}
        />
      </span>
      <span className="shrink-0">{hit.score.toFixed(2)}</span>
      {hit.reason !== undefined && (
        <span className="truncate">
          <Foreign text={hit.reason} />
        </span>
      )}
      <span className="sr-only">: {parts.join(', ')}</span>
    </span>
  );
}
