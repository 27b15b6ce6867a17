import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { useKeys } from '../frame/keys.ts';
import { Refused } from '../parts/empty.tsx';
import { Icon } from '../parts/icons.tsx';
import { useMerge } from '../runs/queries.ts';
import { useDecide, type Decision, type Review } from './queries.ts';

/** What a person decides about the whole, with what will happen written on the button. */
export function Verdict({ review }: Readonly<{ review: Review }>): ReactNode {
  const [verb, setVerb] = useState<Decision['verb'] | undefined>();
  const { does } = review.plan;
  const canApprove = does === 'land' || does === 'approve_landing' || does === 'done';
  const canReturn = review.task !== null || review.run !== null;
  useKeys('Review', {
    ...(canApprove && { a: { does: 'Approve…', run: () => setVerb('approve') } }),
    ...(canReturn && { x: { does: 'Request changes…', run: () => setVerb('changes') } }),
  });
  return (
    <div className="flex flex-wrap items-center gap-2">
      {review.plan.merges !== null && <Merge review={review} into={review.plan.merges} />}
      {canReturn && (
        <button className="button" aria-expanded={verb === 'changes'} onClick={() => setVerb('changes')}>
          Request changes
        </button>
      )}
      {canApprove && (
        <button
          className="button button-main"
          aria-expanded={verb === 'approve'}
          onClick={() => setVerb('approve')}
        >
          <Icon name="tick" size={13} />
          Approve
        </button>
      )}
      {verb && <Decide key={verb} review={review} verb={verb} onDone={() => setVerb(undefined)} />}
    </div>
  );
}

type DecideProps = Readonly<{ review: Review; verb: Decision['verb']; onDone(): void }>;

/** In place, below the two buttons: no second page and no question in the middle of the screen. */
function Decide({ review, verb, onDone }: DecideProps): ReactNode {
  const draft = useDraft(`review ${review.id} verdict`);
  const decide = useDecide(review);
  const open = review.threads.filter(({ resolvedAt }) => resolvedAt === null).length;
  const isApproving = verb === 'approve';
  const needsWords = !isApproving && open === 0;
  const send = () =>
    decide.mutate({ verb, body: draft.text.trim() }, { onSuccess: () => (draft.forget(), onDone()) });
  return (
    <form
      aria-label={isApproving ? 'Approve' : 'Request changes'}
      className="border-line bg-raised arrives flex w-full basis-full flex-col gap-2 rounded-one border p-3"
      onSubmit={(event) => (event.preventDefault(), send())}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) event.currentTarget.requestSubmit();
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onDone();
      }}
    >
      <p className="text-soft">{isApproving ? whatHappens(review) : whereItGoes(review, open)}</p>
      {isApproving && review.plan.conflicts.length > 0 && (
        <p className="text-amber">
          It does not go together with {review.plan.target} as it is: the landing will end in a conflict.
        </p>
      )}
      {isApproving && open > 0 && (
        <p className="text-amber">{open === 1 ? 'One comment is' : `${open} comments are`} not resolved.</p>
      )}
      <textarea
        autoFocus
        rows={2}
        className="field w-full"
        aria-label={isApproving ? 'Say something about it' : 'What is to change'}
        placeholder={isApproving ? 'Say something about it (optional)' : 'What is to change'}
        value={draft.text}
        onChange={({ target }) => draft.set(target.value)}
      />
      <Refused error={decide.error} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <Discard drafts={[draft]} />
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
        <button
          className="button button-main whitespace-normal!"
          disabled={decide.isPending || (needsWords && draft.text.trim() === '')}
        >
          {isApproving
            ? actionOf(review)
            : open === 0
              ? 'Request changes'
              : `Request changes: ${count(open, 'comment')}`}
        </button>
      </div>
    </form>
  );
}

const count = (many: number, word: string) => `${many} ${word}${many === 1 ? '' : 's'}`;

/** What the button does, with what is known of it before: "Land onto main: 3 commits, checks pass". */
function actionOf({ plan, commits }: Review): string {
  if (plan.does === 'done') return 'Approve: the task is done';
  const passed = plan.checks.length > 0 && plan.checks.every((check) => check.passed === true);
  const failed = plan.checks.filter((check) => check.passed === false);
  const checks =
    plan.checks.length === 0
      ? 'no checks'
      : failed.length > 0
        ? `${failed.map(({ name }) => name).join(', ')} failed before`
        : passed
          ? 'checks pass'
          : `${count(plan.checks.length, 'check')} run first`;
  return `Land onto ${plan.target}: ${count(commits.length, 'commit')}, ${checks}`;
}

function whatHappens({ plan, uncommitted }: Review): string {
  if (plan.does === 'done') return 'Nothing lands here: the task is done when you approve it.';
  const left = uncommitted ? ' What is not committed in its folder does not land.' : '';
  return `The hub merges it onto ${plan.target}, runs the checks on the result, and moves ${plan.target} only when they pass. The task is done then.${left}`;
}

function whereItGoes({ agent, task, run }: Review, open: number): string {
  const what = open === 0 ? 'what you say here' : `${count(open, 'open comment')} and what you say here`;
  if (run !== null)
    return `${agent} gets ${what} as its next prompt, where its session can go on; else the task is free for the next.`;
  return task !== null && agent !== null
    ? `Back to ${agent} with ${what}, or free for the next when ${agent} is gone.`
    : `The task goes back with ${what}.`;
}

/** Where nothing lands the branch of a run goes into what is checked out. */
function Merge({ review, into }: Readonly<{ review: Review; into: string }>): ReactNode {
  const merge = useMerge(review.run!);
  return (
    <>
      <button className="button" onClick={() => merge.mutate()} disabled={merge.isPending}>
        Merge into {into}
      </button>
      {merge.data && (
        <span role="status" className={merge.data.merged ? 'text-kelp' : 'text-amber'}>
          {merge.data.merged
            ? `merged into ${merge.data.into}`
            : `conflicts in ${merge.data.conflicts.join(', ')}; nothing was changed`}
        </span>
      )}
      <Refused error={merge.error} />
    </>
  );
}

/** What was decided last, and what came of it. */
export function Decided({ review }: Readonly<{ review: Review }>): ReactNode {
  const [last] = review.verdicts;
  if (!last) return null;
  const isApproved = last.verdict === 'approved';
  return (
    <p
      role="status"
      className={`flex items-start gap-2 rounded-one px-3 py-1.5 ${isApproved ? 'bg-kelp-wash' : 'bg-amber-wash'}`}
    >
      <Icon name={isApproved ? 'tick' : 'comment'} size={13} className="mt-1" />
      <span className="min-w-0">
        <span className="font-medium">{isApproved ? 'Approved.' : 'Changes requested.'}</span> {last.became}{' '}
        {!isApproved && review.run !== null && (
          <Link
            to="/runs/$runId"
            params={{ runId: review.run }}
            className="text-tide underline underline-offset-2"
          >
            Its run
          </Link>
        )}
      </span>
    </p>
  );
}
