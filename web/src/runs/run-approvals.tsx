import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { DenyWord } from '../approvals/deny.tsx';
import { denial, hold } from '../approvals/held.ts';
import { useApprovals, type Approval } from '../approvals/queries.ts';
import { argsOf } from '../approvals/request.ts';
import { useWhole } from '../approvals/whole.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Drain } from '../parts/time.tsx';

/** What this run waits to be allowed, in its place: at the end of what it said. */
export function Asking({ runId }: Readonly<{ runId: string }>): ReactNode {
  const { data } = useApprovals();
  const own = (data?.approvals ?? []).filter(({ callId }) => callId.startsWith(`run:${runId}:`));
  return own.map((approval) => <Question key={approval.id} approval={approval} />);
}

function Question({ approval }: Readonly<{ approval: Approval }>): ReactNode {
  const { id, expiresAt, createdAt } = approval;
  const { shown, allow } = useWhole(approval, 'run');
  const what = argsOf(approval)?.['what'];
  return (
    <section
      aria-label="It asks for permission"
      className="border-coral bg-coral-wash rounded-one border-l-2 px-3 py-2"
    >
      <div className="row flex-wrap">
        <Icon name="approvals" className="text-coral" />
        <h3 className="font-medium">
          {typeof what === 'string' ? (
            <Foreign text={`It has spent its budget: ${what}`} />
          ) : (
            'It asks to do this'
          )}
        </h3>
        <span className="ml-auto">
          <Drain until={expiresAt} whole={expiresAt - createdAt} word="time" />
        </span>
      </div>
      {shown}
      <form
        className="mt-2 flex flex-wrap items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          hold({ ids: [id], ...denial(id) }, [approval]);
        }}
      >
        {allow}
        <button className="button">Deny</button>
        {typeof what !== 'string' && (
          <DenyWord
            id={id}
            label="A word to the agent, with a no"
            hint="with a word, for when its turn is over"
          />
        )}
        <Link to="/approvals" search={{ at: id }} className="quiet">
          All about it
        </Link>
      </form>
    </section>
  );
}
