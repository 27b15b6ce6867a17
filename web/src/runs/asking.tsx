import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CommandLine } from '../approvals/command-line.tsx';
import { hold } from '../approvals/held.ts';
import { useApprovals, type Approval } from '../approvals/queries.ts';
import { argsOf, commandOf } from '../approvals/request.ts';
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
  const args = argsOf(approval) ?? {};
  const command = commandOf(args);
  const { what, title, paths, input } = args;
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
      {command !== undefined ? (
        <CommandLine text={command} />
      ) : (
        typeof what !== 'string' && (
          <pre
            className="bg-sunken max-h-72 overflow-auto rounded-one p-2 font-mono text-[12px] whitespace-pre-wrap"
            tabIndex={0}
          >
            <Foreign text={textOf(title, paths, input)} />
          </pre>
        )
      )}
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <button
          className="button button-main"
          onClick={() => hold({ ids: [id], decision: 'allow_once' }, [approval])}
        >
          Allow once
        </button>
        <button className="button" onClick={() => hold({ ids: [id], decision: 'deny' }, [approval])}>
          Deny
        </button>
        <Link to="/approvals" search={{ at: id }} className="quiet">
          All about it
        </Link>
      </div>
    </section>
  );
}

function textOf(title: unknown, paths: unknown, input: unknown): string {
  const files = Array.isArray(paths) ? paths.filter((each) => typeof each === 'string').join('\n') : '';
  const rest = input === undefined ? '' : JSON.stringify(input, undefined, 2);
  return [typeof title === 'string' ? title : '', files, rest].filter((each) => each !== '').join('\n');
}
