import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { isUnproven } from '../board/unproven.ts';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { useKeys } from '../frame/keys.ts';
import { count } from '../parts/count.ts';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { isSendKey } from '../parts/send-key.ts';
import { Merge } from './merge.tsx';
import type { News } from './news.tsx';
import { useDecide, type Decision, type Review } from './queries.ts';
import { useViewed, viewedMark } from './viewed.ts';

/** How it was read, for whoever decides. */
type Read = Readonly<{ isSpaceIgnored: boolean; news: News }>;
type VerdictProps = Read & Readonly<{ review: Review }>;

/** What a person decides about the whole, with what will happen written on the button. */
export function Verdict({ review, ...read }: VerdictProps): ReactNode {
  const [verb, setVerb] = useState<Decision['verb'] | undefined>();
  const { does } = review.plan;
  const canApprove = does === 'land' || does === 'approve_landing' || does === 'done';
  const canReturn = review.task !== null || review.run !== null;
  useKeys('Review', {
    ...(canApprove && { a: { does: 'Approve…', run: () => setVerb('approve') } }),
    ...(canReturn && { x: { does: 'Request changes…', run: () => setVerb('changes') } }),
  });
  return (
    <div className="flex flex-wrap items-center gap-2 sm:justify-end">
      {review.plan.merges !== null && <Merge review={review} into={review.plan.merges} news={read.news} />}
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
      {verb && <Decide key={verb} review={review} {...read} verb={verb} onDone={() => setVerb(undefined)} />}
    </div>
  );
}

type DecideProps = VerdictProps & Readonly<{ verb: Decision['verb']; onDone(): void }>;

/** In place, below the two buttons: no second page and no question in the middle of the screen. */
function Decide({ review, isSpaceIgnored, news, verb, onDone }: DecideProps): ReactNode {
  const draft = useDraft(`review ${review.id} verdict`);
  const decide = useDecide(review);
  // The same words as in the drawer of the task.
  const reason = useDraft(`task ${review.task} override`);
  const isUnmet = review.plan.does === 'done' && isUnproven(decide.error);
  const open = review.threads.filter(({ resolvedAt }) => resolvedAt === null).length;
  const isApproving = verb === 'approve';
  const needsWords = !isApproving && open === 0;
  const isUnread = isApproving && news.isNews;
  // Another thing would land than what is shown.
  const isElse = isApproving && review.uncommitted && review.plan.does !== 'done';
  const send = () =>
    !isUnread &&
    !isElse &&
    !decide.isPending &&
    decide.mutate(
      { verb, body: draft.text.trim(), ...(isUnmet && { override: reason.text.trim() }) },
      { onSuccess: () => (draft.forget(), isUnmet && reason.forget(), onDone()) },
    );
  return (
    <form
      aria-label={isApproving ? 'Approve' : 'Request changes'}
      className="border-line bg-raised arrives flex w-full basis-full flex-col gap-2 rounded-one border p-3"
      onSubmit={(event) => (event.preventDefault(), send())}
      onKeyDown={(event) => {
        if (isSendKey(event)) event.currentTarget.requestSubmit();
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onDone();
      }}
    >
      <p className="text-soft">
        <Foreign text={isApproving ? whatHappens(review) : whereItGoes(review, open)} />
      </p>
      {isApproving && <Unread review={review} isSpaceIgnored={isSpaceIgnored} />}
      {isUnread && (
        <p className="text-amber">It has changed since you began to read: say first that you have seen it.</p>
      )}
      {isElse && (
        <p className="text-amber">
          Its folder holds what is not committed, so another thing would land: commit or drop it there first.
        </p>
      )}
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
      {isUnmet && (
        <input
          className="field"
          aria-label="Why it is done all the same"
          placeholder="Why it is done all the same"
          value={reason.text}
          onChange={({ target }) => reason.set(target.value)}
        />
      )}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <Discard drafts={[draft]} />
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
        <button
          className="button button-main whitespace-normal!"
          disabled={
            decide.isPending ||
            isUnread ||
            isElse ||
            (needsWords && draft.text.trim() === '') ||
            (isUnmet && reason.text.trim() === '')
          }
        >
          {isApproving
            ? isUnmet
              ? 'Accept against the checks'
              : actionOf(review)
            : open === 0
              ? 'Request changes'
              : `Request changes: ${count(open, 'comment')}`}
        </button>
      </div>
    </form>
  );
}

/** What of it has not been before the eyes of whoever approves. */
function Unread({
  review,
  isSpaceIgnored,
}: Readonly<{ review: Review; isSpaceIgnored: boolean }>): ReactNode {
  const viewed = useViewed();
  const left = review.files.filter((file) => !viewed.has(viewedMark(review.id, file))).length;
  return (
    <>
      {isSpaceIgnored && (
        <p className="text-amber">White space that changed is hidden: it lands with the rest.</p>
      )}
      {left > 0 && left < review.files.length && (
        <p className="text-soft">
          {left} of {review.files.length} files {left === 1 ? 'is' : 'are'} not marked as viewed.
        </p>
      )}
    </>
  );
}

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
          : `${count(plan.checks.length, 'check')} ${plan.checks.length === 1 ? 'runs' : 'run'} first`;
  return `Land onto ${plan.target}: ${count(commits.length, 'commit')}, ${checks}`;
}

function whatHappens({ plan }: Review): string {
  if (plan.does === 'done') return 'Nothing lands here: the task is done when you approve it.';
  return `The hub merges it onto ${plan.target}, runs the checks on the result, and moves ${plan.target} only when they pass. The task is done then.`;
}

function whereItGoes({ agent, task, run }: Review, open: number): string {
  const what = open === 0 ? 'what you say here' : `${count(open, 'open comment')} and what you say here`;
  if (run !== null)
    return `${agent} gets ${what} as its next prompt, where its session can go on; else the task is free for the next.`;
  return task !== null && agent !== null
    ? `Back to ${agent} with ${what}, or free for the next when ${agent} is gone.`
    : `The task goes back with ${what}.`;
}

/** What was decided last, and what came of it. */
export function Decided({ review }: Readonly<{ review: Review }>): ReactNode {
  const [last] = review.verdicts;
  if (!last) return null;
  const isApproved = last.verdict === 'approved';
  const { landing } = review;
  const became = isApproved && landing?.state === 'landed' ? `Landed onto ${landing.target}.` : last.became;
  return (
    <p
      role="status"
      className={`flex items-start gap-2 rounded-one px-3 py-1.5 ${isApproved ? 'bg-kelp-wash' : 'bg-amber-wash'}`}
    >
      <Icon name={isApproved ? 'tick' : 'comment'} size={13} className="mt-1" />
      <span className="min-w-0">
        <span className="font-medium">{isApproved ? 'Approved.' : 'Changes requested.'}</span>{' '}
        <Foreign text={became} />{' '}
        {!isApproved && review.run !== null && (
          <Link to="/runs/$runId" params={{ runId: review.run }} className="in-words">
            Its run
          </Link>
        )}
      </span>
    </p>
  );
}
