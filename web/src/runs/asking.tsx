import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
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
  const [note, setNote] = useState('');
  const said = note.trim();
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
      <form
        className="mt-2 flex flex-wrap items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          hold({ ids: [id], decision: 'deny', ...(said !== '' && { note: said }) }, [approval]);
        }}
      >
        <button
          type="button"
          className="button button-main"
          onClick={() => hold({ ids: [id], decision: 'allow_once' }, [approval])}
        >
          Allow once
        </button>
        <button className="button">Deny</button>
        {typeof what !== 'string' && (
          <input
            className="field min-h-7 min-w-0 max-w-xs flex-1 basis-32 py-0.5"
            aria-label="A word to the agent, with a no"
            placeholder="with a word, for when its turn is over"
            maxLength={500}
            value={note}
            onChange={({ target }) => setNote(target.value)}
          />
        )}
        <Link to="/approvals" search={{ at: id }} className="quiet">
          All about it
        </Link>
      </form>
    </section>
  );
}

function textOf(title: unknown, paths: unknown, input: unknown): string {
  const files = Array.isArray(paths) ? paths.filter((each) => typeof each === 'string').join('\n') : '';
  const rest = input === undefined ? '' : JSON.stringify(input, undefined, 2);
  return [typeof title === 'string' ? title : '', files, rest].filter((each) => each !== '').join('\n');
}
