import type { ReactNode } from 'react';
import type { Approval } from '../approvals/decision.ts';
import { hold } from '../approvals/held.ts';
import { Where } from '../approvals/where.tsx';
import { useWhole } from '../approvals/whole.tsx';
import { Agent } from '../parts/agent.tsx';
import { Icon } from '../parts/icons.tsx';
import { Drain } from '../parts/time.tsx';

/** A request among others. It is allowed here if all of it stands here; always is decided where its whole meaning is shown. */
export function Asked({ approval }: Readonly<{ approval: Approval }>): ReactNode {
  const { id, agentId, principal, toolName, expiresAt, createdAt } = approval;
  const { shown, allow } = useWhole(approval, 'line');
  return (
    <li
      aria-label={`${agentId ?? principal} wants to use ${toolName}`}
      className="border-line border-b py-1.5 last:border-0"
    >
      <div className="flex flex-wrap items-start gap-x-2 gap-y-1 sm:flex-nowrap">
        <Icon name="approvals" className="text-coral mt-2" />
        <span className="min-w-0 flex-1 basis-60 py-1">
          <Agent name={agentId ?? principal} /> wants to use <span className="font-medium">{toolName}</span>{' '}
          <Where {...approval} />
        </span>
        <span className="ml-auto flex min-h-8 shrink-0 items-center gap-2">
          <Drain until={expiresAt} whole={expiresAt - createdAt} word="time" />
          {allow}
          <button className="button" onClick={() => hold({ ids: [id], decision: 'deny' }, [approval])}>
            Deny
          </button>
        </span>
      </div>
      <div className="mt-1 sm:pl-6">{shown}</div>
    </li>
  );
}
