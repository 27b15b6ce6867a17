import type { ReactNode } from 'react';
import type { Approval } from '../approvals/decision.ts';
import { hold } from '../approvals/held.ts';
import { wish } from '../approvals/own-call.ts';
import { Where } from '../approvals/where.tsx';
import { useWhole } from '../approvals/whole.tsx';
import { Agent } from '../parts/agent.tsx';
import { Icon } from '../parts/icons.tsx';
import { Drain } from '../parts/time.tsx';

/** A request among others. It is allowed here if all of it stands here; always is decided where its whole meaning is shown. */
export function Asked({ approval }: Readonly<{ approval: Approval }>): ReactNode {
  const { id, agentId, principal, expiresAt, createdAt } = approval;
  const { shown, allow } = useWhole(approval, 'line');
  return (
    <li
      aria-label={`${agentId ?? principal} wants to ${wish(approval)}`}
      className="border-line flex flex-wrap items-start gap-x-2 gap-y-1 border-b py-1.5 last:border-0"
    >
      <Icon name="approvals" className="text-coral mt-2" />
      <span className="min-w-0 flex-1 basis-60 py-1">
        <Agent name={agentId ?? principal} /> wants to {wish(approval)} <Where {...approval} />
      </span>
      {/* On a phone what would run stands before what decides on it. */}
      <span className="ml-auto flex min-h-8 shrink-0 items-center gap-2 max-sm:order-1">
        <Drain until={expiresAt} whole={expiresAt - createdAt} word="time" />
        {allow}
        <button className="button" onClick={() => hold({ ids: [id], decision: 'deny' }, [approval])}>
          Deny
        </button>
      </span>
      <div className="min-w-0 basis-full sm:pl-6">{shown}</div>
    </li>
  );
}
