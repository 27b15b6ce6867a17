import type { ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { useTouches, type Touches } from './queries.ts';

type File = Touches['files'][number];
type Host = Touches['hosts'][number];

/** What a request would touch, each where it leads. Until the hub has said so, that it is being found out. */
export function TouchedThings({ id }: Readonly<{ id: string }>): ReactNode {
  const { data, isError } = useTouches(id);
  if (isError) return null;
  const isNothing = data && data.files.length === 0 && data.hosts.length === 0;
  if (isNothing && !data.hasCommand) return null;
  return (
    <div role="group" aria-label="What it touches" className="mt-4">
      <h3 className="section-title mb-0.5">What it touches</h3>
      {data ? (
        <>
          <ul className="flex flex-col gap-0.5">
            {data.files.map((file) => (
              <FileLine key={`${file.given} ${file.leadsTo}`} file={file} />
            ))}
            {data.hosts.map((host) => (
              <HostLine key={`${host.given} ${host.host}`} host={host} />
            ))}
          </ul>
          {data.isMore && <p className="text-amber">There is more than is listed here.</p>}
          {data.hasCommand && (
            <p className="text-soft">
              {isNothing
                ? 'It names no file and no host; what it runs may still touch some.'
                : 'That is what it names. What it runs may touch more.'}
            </p>
          )}
        </>
      ) : (
        <p className="text-faint">Looking where it leads …</p>
      )}
    </div>
  );
}

/** What stands out, in words; a sign beside it, since colour alone says nothing. */
const STATES: Readonly<Record<File['state'], readonly [words: string, isOdd: boolean]>> = {
  file: ['is there', false],
  folder: ['a folder, is there', false],
  other: ['is there, and no plain file', true],
  missing: ['is not there yet', false],
  outside: ['outside the folder it works in', true],
  unsure: ['known only when it runs', true],
};

function FileLine({ file: { given, leadsTo, state } }: Readonly<{ file: File }>): ReactNode {
  const [words, isOdd] = STATES[state];
  const isElsewhere = given.replace(/^\.\//, '') !== leadsTo;
  return (
    <li className="flex flex-wrap items-baseline gap-x-2">
      <Icon
        name={state === 'folder' ? 'folder' : 'file'}
        size={14}
        className="text-faint shrink-0 translate-y-0.5"
      />
      <code className="min-w-0 font-mono text-[12px] break-all">
        <Foreign text={leadsTo} />
      </code>
      <span className={isOdd ? 'text-amber font-medium' : 'text-soft'}>{words}</span>
      {isElsewhere && state !== 'unsure' && (
        <span className="text-faint min-w-0 break-all">
          written as <Foreign text={given} />
        </span>
      )}
    </li>
  );
}

function HostLine({ host: { given, host, remote } }: Readonly<{ host: Host }>): ReactNode {
  return (
    <li className="flex flex-wrap items-baseline gap-x-2">
      <Icon name="host" size={14} className="text-faint shrink-0 translate-y-0.5" />
      {host === null ? (
        <span className="min-w-0">
          <code className="font-mono text-[12px]">
            <Foreign text={given} />
          </code>{' '}
          <span className="text-amber font-medium">reaches a host that its own settings name</span>
        </span>
      ) : (
        <>
          <code className="min-w-0 font-mono text-[12px] break-all">
            <Foreign text={host} />
          </code>
          <span className="text-soft">
            {remote === null ? (
              'a host'
            ) : (
              <>
                the remote <Foreign text={remote.name} />
                {!remote.isNamed && ', unless its branch has another'}
              </>
            )}
          </span>
        </>
      )}
    </li>
  );
}

/** The same in a line, for where a request stands among others. */
export function TouchedLine({ id }: Readonly<{ id: string }>): ReactNode {
  const { data } = useTouches(id);
  const names = [
    ...(data?.files ?? []).map(({ leadsTo, state }) => ({ name: leadsTo, isOdd: STATES[state][1] })),
    ...(data?.hosts ?? []).map(({ host, given }) => ({ name: host ?? given, isOdd: true })),
  ];
  if (!data || names.length === 0) return null;
  const few = names.slice(0, 4);
  return (
    <p className="text-soft mt-1 min-w-0 [overflow-wrap:anywhere]">
      touches{' '}
      {few.map(({ name, isOdd }, at) => (
        <span key={name}>
          {at > 0 && ', '}
          <code className={`font-mono text-[12px] ${isOdd ? 'text-amber font-medium' : ''}`}>
            <Foreign text={name} />
          </code>
        </span>
      ))}
      {(names.length > few.length || data.isMore) &&
        ` and ${names.length - few.length}${data.isMore ? '+' : ''} more`}
    </p>
  );
}
