import type { ReactNode } from 'react';
import { Checks } from '../board/checks.tsx';
import { useTask } from '../board/queries.ts';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Moment } from '../parts/time.tsx';
import { LandingRow } from '../landing/row.tsx';
import type { Review } from './queries.ts';

/** The checks that were run on it, with the tests that failed. */
export function Evidence({ review }: Readonly<{ review: Review }>): ReactNode {
  if (review.evidence.length === 0) return null;
  return (
    <section aria-label="Checks">
      <h2 className="section-title mb-1">Checks</h2>
      <ul className="flex flex-col gap-1">
        {review.evidence.map(({ id, check, passed, ms, failing, tail, flaky }) => (
          <li key={id} className="min-w-0">
            <details className="group/check">
              <summary className="flex items-center gap-2">
                <Icon
                  name={passed ? 'tick' : 'close'}
                  size={12}
                  className={passed ? 'text-kelp' : 'text-amber'}
                />
                <span className="min-w-0 flex-1 truncate font-mono text-[12px]">
                  <Foreign text={check} />
                </span>
                <span className="text-meta text-faint">
                  {passed ? 'passed' : 'failed'}
                  {flaky ? ', flaky' : ''} {(ms / 1000).toFixed(1)} s
                </span>
              </summary>
              <div className="mt-1 mb-2">
                <Quoted>
                  {failing.length > 0 ? (
                    failing.slice(0, 20).map(({ name, message }) => (
                      <p key={name} className="break-words">
                        <strong className="font-medium">
                          <Foreign text={name} />
                        </strong>{' '}
                        <Foreign text={message.slice(0, 400)} />
                      </p>
                    ))
                  ) : (
                    <pre
                      tabIndex={0}
                      className="max-h-60 overflow-auto font-mono text-[12px] whitespace-pre-wrap"
                    >
                      <Foreign text={tail === '' ? 'It printed nothing.' : tail.slice(-4_000)} />
                    </pre>
                  )}
                </Quoted>
              </div>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What the task asks for, and who says that it holds. */
export function Asked({ review }: Readonly<{ review: Review }>): ReactNode {
  return review.task === null ? null : <ChecksOf id={review.task} />;
}

function ChecksOf({ id }: Readonly<{ id: string }>): ReactNode {
  const { data } = useTask(id);
  return data ? <Checks detail={data} title="What the task asks for" as="h2" /> : null;
}

export function Commits({ review }: Readonly<{ review: Review }>): ReactNode {
  if (review.commits.length === 0) return null;
  return (
    <section aria-label="Commits">
      <h2 className="section-title mb-1">Commits</h2>
      <ul className="flex flex-col gap-1.5">
        {review.commits.map(({ id, subject, author, at }) => (
          <li key={id} className="min-w-0">
            <span className="block truncate" title={subject}>
              <Foreign text={subject} />
            </span>
            <span className="text-meta text-faint flex items-center gap-2">
              <span className="truncate">
                <Foreign text={author} />
              </span>
              <Moment at={at} />
              <code className="ml-auto font-mono text-[11px]">{id.slice(0, 8)}</code>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Where its landing stands, as it goes on. */
export function Landing({ review }: Readonly<{ review: Review }>): ReactNode {
  if (!review.landing || review.landing.state === 'withdrawn') return null;
  return (
    <ul className="border-line rounded-one border [&>li]:border-b-0" aria-label="Landing">
      <LandingRow landing={review.landing} isDecidedAbove={review.landing.state === 'waiting_person'} />
    </ul>
  );
}
