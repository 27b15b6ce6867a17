import type { ReactNode } from 'react';
import { Diff } from '../parts/diff.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { CommandLine } from './command-line.tsx';
import type { Approval } from './decision.ts';
import { shownArgs } from './own-call.ts';
import { commandOf, editsOf } from './request.ts';

/** Every byte that would run: a command as it will be read, an edit as a diff, everything else by name. */
export function Arguments({ approval }: Readonly<{ approval: Approval }>): ReactNode {
  const args = shownArgs(approval);
  if (!args) return <Block text={approval.argsSummary ?? 'The hub kept no summary of the arguments.'} />;
  const command = commandOf(args);
  const edits = editsOf(args);
  const shown = new Set(edits.flatMap(({ shows }) => shows));
  const others = Object.entries(args).filter(
    ([name, value]) => !shown.has(name) && !(typeof value === 'string' && value === command),
  );
  return (
    <div className="flex flex-col gap-2">
      {command !== undefined && <CommandLine text={command} />}
      {others.length > 0 && (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
          {others.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-soft font-mono text-[12px] leading-[26px]">
                <Foreign text={name} />
              </dt>
              <dd className="min-w-0">
                <Block text={typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {edits.map(({ path, before, after }, at) => (
        <figure key={at}>
          <figcaption className="text-meta text-soft mb-1 font-mono">
            <Foreign text={path ?? 'The edit'} />
            {before === '' && ' would hold'}
          </figcaption>
          <Diff before={before} after={after} label={`The edit${at === 0 ? '' : ` ${at + 1}`}`} />
        </figure>
      ))}
    </div>
  );
}

function Block({ text }: Readonly<{ text: string }>): ReactNode {
  return (
    <pre className="bg-sunken min-h-[26px] rounded-one px-2.5 py-1 font-mono text-[12px] leading-[18px] [overflow-wrap:anywhere] whitespace-pre-wrap">
      <Foreign text={text} />
    </pre>
  );
}
