import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Approval } from '../approvals/deciding.ts';
import { hold } from '../approvals/held.ts';
import { gist } from '../approvals/request.ts';
import { Where } from '../approvals/where.tsx';
import { Agent } from '../parts/agent.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Drain } from '../parts/time.tsx';

/** A request on one line. Always is decided where its whole meaning is shown. */
export function Asked({ approval }: Readonly<{ approval: Approval }>): ReactNode {
  const { id, agentId, principal, toolName, expiresAt, createdAt } = approval;
  return (
    <li className="row flex-wrap py-0.5">
      <Icon name="approvals" className="text-coral" />
      <span className="shrink-0">
        <Agent name={agentId ?? principal} /> wants to use <span className="font-medium">{toolName}</span>
      </span>
      <Link
        to="/approvals"
        search={{ at: id }}
        className="bg-sunken min-w-0 flex-1 basis-40 truncate rounded px-1.5 font-mono text-[12px] hover:underline"
      >
        <Foreign text={gist(approval)} />
      </Link>
      <Where {...approval} />
      <span className="ml-auto flex shrink-0 items-center gap-2">
        <Drain until={expiresAt} whole={expiresAt - createdAt} word="time" />
        <button className="button" onClick={() => hold({ ids: [id], decision: 'allow_once' }, [approval])}>
          Allow once
        </button>
        <button className="button" onClick={() => hold({ ids: [id], decision: 'deny' }, [approval])}>
          Deny
        </button>
      </span>
    </li>
  );
}
