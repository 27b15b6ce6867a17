import type { ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import type { Step } from './story.ts';

const WORDS = { pending: 'to come', in_progress: 'now', completed: 'done' } as const;

/** What the agent means to do, in its own words. */
export function Plan({ steps }: Readonly<{ steps: readonly Step[] }>): ReactNode {
  const done = steps.filter(({ state }) => state === 'completed').length;
  return (
    <section aria-label="Plan" className="border-edge border-l-2 pl-3">
      <h3 className="section-title mb-1">
        Plan <span className="text-faint font-normal">{`${done} of ${steps.length}`}</span>
      </h3>
      <ol className="flex flex-col gap-0.5">
        {steps.map(({ text, state }, at) => (
          <li
            key={at}
            className={`flex items-start gap-1.5 ${state === 'completed' ? 'text-faint' : state === 'in_progress' ? 'font-medium' : 'text-soft'}`}
          >
            <span
              className={`mt-[3px] ${state === 'completed' ? 'text-kelp' : state === 'in_progress' ? 'text-tide' : 'text-faint'}`}
              role="img"
              aria-label={WORDS[state]}
            >
              {state === 'completed' ? (
                <Icon name="tick" size={13} />
              ) : state === 'in_progress' ? (
                <Icon name="right" size={13} />
              ) : (
                <span className="border-edge m-[2px] block size-[9px] rounded-full border" />
              )}
            </span>
            <span className="min-w-0 break-words">
              <Foreign text={text} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
