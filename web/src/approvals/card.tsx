import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Agent } from '../parts/agent.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Drain, Moment } from '../parts/time.tsx';
import { DenyWord } from './deny.tsx';
import { denial, hold, useHeld } from './held.ts';
import { useApproval, useRisks, type Approval } from './queries.ts';
import { toolWord, wish } from './own-call.ts';
import { gist } from './request.ts';
import { Where } from './where.tsx';
import { useWhole } from './whole.tsx';
import { DECIDED, RISK_WORDS, RISKS, whoDecided } from './words.ts';

/**
 * A request where it is talked about: a line of a room, or a post that names it. What stands here is fetched with the rights of
 * whoever looks, whatever the post around it says.
 */
export function ApprovalCard({ id }: Readonly<{ id: string }>): ReactNode {
  const { data, error } = useApproval(id);
  const { held } = useHeld();
  if (error) return <p className="text-soft">A request that is gone, or not yours to see.</p>;
  if (!data) return <p className="text-faint">…</p>;
  const { approval, note } = data;
  const going = held.find((each) => each.approval.id === approval.id);
  if (approval.status !== 'pending') return <Decided approval={approval} note={note} />;
  if (going)
    return <Line approval={approval} word={DECIDED[going.decision.decision]} rest="goes out in a moment" />;
  return <Open approval={approval} />;
}

function Open({ approval }: Readonly<{ approval: Approval }>): ReactNode {
  const { id, agentId, principal, toolName, expiresAt, createdAt, reason } = approval;
  const risk = useRisks()?.get(toolName);
  const { shown, allow } = useWhole(approval, 'card');
  return (
    <section
      aria-label={`Request of ${agentId ?? principal} to ${wish(approval)}`}
      className="border-coral bg-coral-wash flex max-w-[90ch] flex-col gap-2 rounded-one border-l-2 px-3 py-2"
    >
      <div className="flex flex-wrap items-center gap-x-2">
        <Icon name="approvals" className="text-coral" />
        <h2 className="min-w-0 font-medium">
          <Agent name={agentId ?? principal} /> wants to {wish(approval)}
        </h2>
        <Where {...approval} />
        <span className="ml-auto">
          <Drain until={expiresAt} whole={expiresAt - createdAt} word="time" />
        </span>
      </div>
      {shown}
      {(reason !== null || risk) && (
        <p className="text-soft">
          {risk && (
            <span className={risk === 'safe' ? '' : 'text-amber font-medium'}>{RISK_WORDS[risk]}: </span>
          )}
          {reason === null ? `${toolWord(toolName)} ${RISKS[risk!]}.` : <Foreign text={reason} />}
        </p>
      )}
      <form
        className="flex flex-wrap items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          hold({ ids: [id], ...denial(id) }, [approval]);
        }}
      >
        {allow}
        <button className="button">Deny</button>
        <DenyWord id={id} label={`A word to ${agentId ?? principal}, with a no`} hint="with a word" />
        <Link to="/approvals" search={{ at: id }} className="quiet">
          Open in Approvals
        </Link>
      </form>
    </section>
  );
}

function Decided({ approval, note }: Readonly<{ approval: Approval; note: string | null }>): ReactNode {
  const { status, resolvedBy, resolvedAt, expiresAt } = approval;
  return (
    <Line
      approval={approval}
      word={DECIDED[status]}
      rest={
        <>
          {resolvedBy !== null && (
            <>
              by <Foreign text={whoDecided(resolvedBy)} />
              {note !== null && (
                <>
                  , saying “<Foreign text={note} />”
                </>
              )}{' '}
            </>
          )}
          <Moment at={resolvedAt ?? expiresAt} />
        </>
      }
    />
  );
}

/** What is settled takes one line: what it was, and how it ended. */
function Line({
  approval,
  word,
  rest,
}: Readonly<{ approval: Approval; word: string; rest: ReactNode }>): ReactNode {
  const isAllowed = approval.status === 'allow_once' || approval.status === 'allow_always';
  return (
    <div
      role="status"
      aria-label={`Request of ${approval.agentId ?? approval.principal}`}
      className="border-edge text-soft flex max-w-[90ch] flex-wrap items-baseline gap-x-2 border-l-2 pl-3"
    >
      <span className="text-ink">
        <Agent name={approval.agentId ?? approval.principal} />
      </span>
      <code className="bg-sunken min-w-0 max-w-full truncate rounded px-1 font-mono text-[12px]">
        {toolWord(approval.toolName)} <Foreign text={gist(approval).slice(0, 160)} />
      </code>
      <span className={isAllowed ? 'text-kelp font-medium' : 'text-ink font-medium'}>{word}</span>
      <span>{rest}</span>
    </div>
  );
}
