import type { ReactNode } from 'react';
import { whoDecided } from '../approvals/words.ts';
import { Section } from '../parts/drawer.tsx';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { useSeen } from '../parts/seen.ts';
import { Moment } from '../parts/time.tsx';
import { Definition } from './definition.tsx';
import { useDecide, useUndo } from './one.ts';
import type { Decided, Pending, Review, SourceDetail } from './queries.ts';

/**
 * What nobody has decided on, suspicious tools first. One by one, or all of them below the last one and once all were on
 * screen: a poisoned tool is not let in by a click above it. Only what is held back until then is a person's to decide.
 */
export function Waiting({ source, review }: Readonly<{ source: SourceDetail; review: Review }>): ReactNode {
  const decide = useDecide(source.name);
  const [box, isSeen, readOn] = useSeen<HTMLUListElement>(review.digest);
  const isHeld = source.quarantined > 0;
  const { pending, digest } = review;
  const flagged = pending.filter(({ isFlagged }) => isFlagged).length;
  return (
    <Section
      title={isHeld || source.trust === 'ask' ? 'Look at these' : 'Not looked at yet'}
      aside={
        <>
          <span className="text-meta text-faint">{pending.length}</span>
          {flagged > 0 && <span className="text-meta text-amber">{flagged} with suspicious words</span>}
        </>
      }
    >
      <Refused error={decide.error} />
      <ul ref={box}>
        {pending.map((each) => (
          <li key={each.tool} className="border-line border-b py-2">
            <PendingTool
              pending={each}
              isHeld={isHeld}
              isBusy={decide.isPending}
              onDecide={(what) => decide.mutate({ what, tools: [each.tool], digest: each.digest })}
            />
          </li>
        ))}
      </ul>
      {pending.length > 1 && (
        <div className="flex flex-wrap items-center gap-2 pt-2">
          <button
            className="button"
            disabled={decide.isPending || !isSeen}
            title={isSeen ? undefined : 'Once all of them were on screen'}
            onClick={() => decide.mutate({ what: 'approve', digest })}
          >
            Approve all {pending.length}
          </button>
          <button
            className="button"
            disabled={decide.isPending}
            onClick={() => decide.mutate({ what: 'reject', digest })}
          >
            Reject all {pending.length}
          </button>
          {!isSeen && (
            <button className="button" onClick={readOn}>
              Read on: not all of them were on screen
            </button>
          )}
        </div>
      )}
    </Section>
  );
}

type PendingProps = Readonly<{
  pending: Pending;
  isHeld: boolean;
  isBusy: boolean;
  onDecide(what: 'approve' | 'reject'): void;
}>;

function PendingTool({ pending, isHeld, isBusy, onDecide }: PendingProps): ReactNode {
  const [box, isSeen] = useSeen<HTMLDivElement>(pending.digest);
  const inFields = new Set(pending.fields.map(({ path }) => path));
  return (
    <article aria-label={`Tool ${pending.tool}`}>
      <div className="flex min-h-8 flex-wrap items-center gap-2">
        <code className="min-w-0 font-mono text-[12px] font-medium break-all">
          <Foreign text={pending.tool} />
        </code>
        <span className={isHeld ? 'text-coral' : 'text-soft'}>{pending.isNew ? 'new' : 'changed'}</span>
        {pending.isFlagged && <span className="text-amber font-medium">suspicious</span>}
      </div>
      <div ref={box}>
        {pending.findings.map(({ kind, where, what, marks }) => (
          <p key={`${kind} ${where}`} className="text-amber mb-1">
            {kind} in {where}: <Foreign text={what} />
            {marks
              .filter(({ path }) => !inFields.has(path))
              .map(({ path, start, words }) => (
                <span key={`${path} ${start}`} className="block">
                  {path} had it before:{' '}
                  <mark className="bg-amber-wash text-amber">
                    <Foreign text={words} />
                  </mark>
                </span>
              ))}
          </p>
        ))}
        <Definition pending={pending} />
      </div>
      <div className="mt-1.5 flex flex-wrap items-center gap-2">
        <button
          className="button"
          disabled={isBusy || !isSeen}
          title={isSeen ? undefined : 'Once all of it was on screen'}
          onClick={() => onDecide('approve')}
        >
          Approve
        </button>
        <button className="button" disabled={isBusy} onClick={() => onDecide('reject')}>
          Reject
        </button>
      </div>
    </article>
  );
}

const FEW = 8;

/** What was decided on definitions as they are now: each can be taken back until it changes again. */
export function DecidedTools({
  name,
  decided,
}: Readonly<{ name: string; decided: readonly Decided[] }>): ReactNode {
  const undo = useUndo(name);
  if (decided.length === 0) return null;
  return (
    <Section title="Decided">
      <Refused error={undo.error} />
      <ul aria-label="Decided">
        {decided.slice(0, FEW).map(({ tool, decision, by, at }) => (
          <li key={tool} className="row">
            <code className="min-w-0 truncate font-mono text-[12px]">
              <Foreign text={tool} />
            </code>
            <span className={decision === 'approved' ? 'text-kelp' : 'text-amber'}>{decision}</span>
            <span className="text-meta text-faint min-w-0 truncate">
              by <Foreign text={whoDecided(by)} /> <Moment at={at} />
            </span>
            <button
              className="quiet ml-auto"
              aria-label={`Undo what was decided on ${tool}`}
              disabled={undo.isPending}
              onClick={() => undo.mutate([tool])}
            >
              Undo
            </button>
          </li>
        ))}
      </ul>
      {decided.length > FEW && (
        <p className="text-soft">
          and {decided.length - FEW} more; <code className="font-mono">holdfast source review {name}</code>{' '}
          lists them all.
        </p>
      )}
    </Section>
  );
}
