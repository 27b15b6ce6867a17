import type { ReactNode } from 'react';
import type { TaskDetail } from '../../../src/features/board/detail.ts';
import { Section } from '../parts/drawer.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Moment } from '../parts/time.tsx';
import { useEvidence } from './queries.ts';

type ChecksProps = Readonly<{ detail: TaskDetail; title?: string; as?: 'h2' | 'h3' }>;

/** What must hold before it is done, each with the newest that was said for or against it. */
export function Checks({ detail: { task, checks }, title = 'Checks', as = 'h3' }: ChecksProps): ReactNode {
  const { data } = useEvidence(task.id);
  if (checks.length === 0) return null;
  return (
    <Section
      title={title}
      as={as}
      aside={
        <span className="text-meta text-faint">
          {checks.filter(({ satisfied }) => satisfied).length} of {checks.length} passed
        </span>
      }
    >
      <ul className="flex flex-col gap-1.5">
        {checks.map((check) => {
          const newest = data?.evidence.find(({ checkId }) => checkId === check.id);
          return (
            <li key={check.id} className="flex gap-2">
              <span
                className={`mt-0.5 ${check.satisfied ? 'text-kelp' : 'text-faint'}`}
                role="img"
                aria-label={check.satisfied ? 'passed' : 'not passed yet'}
              >
                {check.satisfied ? (
                  <Icon name="tick" />
                ) : (
                  <span className="border-edge m-[3px] block size-2.5 rounded-full border" />
                )}
              </span>
              <div className="min-w-0 flex-1">
                <Foreign text={check.title} />{' '}
                {!check.required && <span className="text-meta text-faint">not required</span>}
                {newest && (
                  <Quoted
                    by={
                      <>
                        {newest.authorAgentId ?? 'a person'}{' '}
                        <span className={newest.passed ? 'text-kelp' : 'text-amber'}>
                          {newest.passed ? 'passed' : 'failed'}
                        </span>
                        {!newest.current && <span className="text-faint">before the task changed</span>}{' '}
                        <Moment at={newest.createdAt} />
                      </>
                    }
                  >
                    <Markdown
                      text={
                        newest.reference ? `${newest.summary}\n\n\`${newest.reference}\`` : newest.summary
                      }
                    />
                  </Quoted>
                )}
              </div>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
