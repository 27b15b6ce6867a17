import { useState, type ReactNode } from 'react';
import { isMissing } from '../api/call.ts';
import { Drawer, Section } from '../parts/drawer.tsx';
import { Refused } from '../parts/empty.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Moment } from '../parts/time.tsx';
import { Unready } from '../parts/unready.tsx';
import { useMayRun } from '../runs/queries.ts';
import { ChangeSource, TRUST } from './change.tsx';
import { Login } from './login.tsx';
import { useRemove, useReview, useSource, useSourceAction } from './one.ts';
import type { SourceDetail } from './queries.ts';
import { DecidedTools, Waiting } from './review.tsx';
import { StateWord } from './state.tsx';
import { hasWords, Tools } from './tools.tsx';

const FEW_TOOLS = 8;

/** One source: how it is, what of it waits for a look, and what it has. */
export function SourceDrawer({ name, onClose }: Readonly<{ name: string; onClose(): void }>): ReactNode {
  const { data, error } = useSource(name);
  return (
    <Drawer
      label={`Source ${name}`}
      onClose={onClose}
      head={<h2 className="text-title truncate font-semibold">{name}</h2>}
    >
      {data ? (
        <Body source={data.source} onRemoved={onClose} />
      ) : isMissing(error) ? (
        <Section title="There is no such source">
          <p className="text-soft">It was taken away, or the address is wrong. The list has all there are.</p>
        </Section>
      ) : (
        <Unready error={error} />
      )}
    </Drawer>
  );
}

type BodyProps = Readonly<{ source: SourceDetail; onRemoved(): void }>;

function Body({ source, onRemoved }: BodyProps): ReactNode {
  const { name, enabled, instructions, toolList } = source;
  const { data: review } = useReview(name);
  const act = useSourceAction(name);
  const mayChange = useMayRun();
  const [isChanging, setChanging] = useState(false);
  const [sought, setSought] = useState('');
  return (
    <>
      <Health source={source} />
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <button className="button" disabled={act.isPending} onClick={() => act.mutate('test')}>
          Connect now
        </button>
        <button
          className="button"
          disabled={act.isPending}
          onClick={() => act.mutate(enabled ? 'off' : 'on')}
        >
          {enabled ? 'Switch off' : 'Switch on'}
        </button>
        {mayChange && (
          <>
            <button className="button" aria-expanded={isChanging} onClick={() => setChanging(!isChanging)}>
              Change
            </button>
            {source.url !== null && <Login name={name} />}
            <Remove name={name} onRemoved={onRemoved} />
          </>
        )}
      </div>
      <Refused error={act.error} />
      {isChanging && <ChangeSource source={source} onClose={() => setChanging(false)} />}
      {review && review.pending.length > 0 && <Waiting source={source} review={review} />}
      {review && <DecidedTools name={name} decided={review.decided} />}
      {instructions && (
        <Section title="What it says about itself">
          <Quoted>
            <p className="whitespace-pre-wrap">
              <Foreign text={instructions} />
            </p>
          </Quoted>
        </Section>
      )}
      <Section title={`Tools (${toolList.length})`}>
        {toolList.length > FEW_TOOLS && (
          <input
            type="search"
            className="field mb-1 w-full"
            aria-label="Search its tools"
            placeholder="Search its tools"
            value={sought}
            onChange={({ target }) => setSought(target.value)}
          />
        )}
        {toolList.length === 0 && <p className="text-soft">It has told of none.</p>}
        <Tools tools={toolList.filter((tool) => hasWords(tool, sought))} />
      </Section>
    </>
  );
}

/** How it is, since when, why, and when it is tried again. */
function Health({ source }: Readonly<{ source: SourceDetail }>): ReactNode {
  const { state, since, reason, nextTryAt, server, command, url, trust, problems } = source;
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <StateWord state={state} />
        <span className="text-meta text-faint">
          since <Moment at={since} />
          {nextTryAt !== null && (
            <>
              , tried again <Moment at={nextTryAt} />
            </>
          )}
          {server && `, ${server.name} ${server.version}`}
        </span>
      </p>
      {reason !== null && (
        <p className="bg-amber-wash mt-1 rounded-one px-3 py-1.5 break-words">
          <Foreign text={reason} />
        </p>
      )}
      {problems.map((problem) => (
        <p key={problem} className="text-amber mt-1 break-words">
          <Foreign text={problem} />
        </p>
      ))}
      <p className="text-soft mt-1 font-mono text-[12px] [overflow-wrap:anywhere]">
        {command?.join(' ') ?? url}
      </p>
      <p className="text-meta text-faint mt-0.5">Trust: {TRUST[trust]}.</p>
    </>
  );
}

/** Its login and what was approved of it go with it, so it is asked twice. */
function Remove({ name, onRemoved }: Readonly<{ name: string; onRemoved(): void }>): ReactNode {
  const [isSure, setSure] = useState(false);
  const remove = useRemove(name);
  if (!isSure)
    return (
      <button className="button" onClick={() => setSure(true)}>
        Remove
      </button>
    );
  return (
    <>
      <button
        className="button"
        disabled={remove.isPending}
        onClick={() => remove.mutate(undefined, { onSuccess: onRemoved })}
      >
        Remove it, its login and what was approved
      </button>
      <button className="button" onClick={() => setSure(false)}>
        Cancel
      </button>
      <Refused error={remove.error} />
    </>
  );
}
