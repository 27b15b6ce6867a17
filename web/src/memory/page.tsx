import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { Fact, MemoryHit } from '../../../src/features/memory/fact.ts';
import { ask } from '../api/call.ts';
import { useKeys } from '../frame/keys.ts';
import { usePlace, useSetPlace } from '../frame/place.ts';
import { count } from '../parts/count.ts';
import { Empty } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Switch, View } from '../parts/page.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Moment } from '../parts/time.tsx';
import { Unready } from '../parts/unready.tsx';
import { AddFact } from './add.tsx';
import { Duplicates } from './duplicates.tsx';
import { FactDrawer } from './fact-drawer.tsx';
import { Procedures } from './procedures.tsx';
import { Proposals } from './proposals.tsx';
import { Refuted } from './refuted.tsx';
import { useScope } from './scope.ts';
import { Score } from './score.tsx';
import { Standings } from './standing.tsx';

export function MemoryPage(): ReactNode {
  const { q = '', view = 'facts', at } = usePlace();
  const setPlace = useSetPlace();
  const [text, setText] = useState(q);
  const field = useRef<HTMLInputElement>(null);
  const sent = useRef(q);
  const [isAdding, setAdding] = useState(false);
  useKeys('Memory', { '/': { does: 'Search', run: () => field.current?.focus() } });
  useEffect(() => {
    if (text === sent.current) return undefined;
    const timer = setTimeout(
      () => ((sent.current = text), setPlace({ q: text === '' ? undefined : text })),
      180,
    );
    return () => clearTimeout(timer);
  }, [text, setPlace]);
  return (
    <View
      title="Memory"
      about={<Stats />}
      aside={
        <>
          <Switch
            label="Which"
            value={view}
            options={[
              ['facts', 'Facts'],
              ['procedures', 'Procedures'],
              ['duplicates', 'Said twice'],
              ['proposals', 'Proposals'],
            ]}
            onChange={(next) => setPlace({ view: next === 'facts' ? undefined : next, at: undefined })}
          />
          {!isAdding && <NewFact onNew={() => (setAdding(true), setPlace({ view: undefined }))} />}
        </>
      }
      filter={
        view === 'facts' && (
          <SearchField
            field={field}
            label="Search memory"
            placeholder="Ask in your own words"
            value={text}
            onChange={setText}
          />
        )
      }
      detail={
        at !== undefined &&
        view === 'facts' && <FactDrawer key={at} id={at} onClose={() => setPlace({ at: undefined }, true)} />
      }
    >
      <Refuted />
      {isAdding && <AddFact onClose={() => setAdding(false)} />}
      {view === 'procedures' ? (
        <Procedures />
      ) : view === 'duplicates' ? (
        <Duplicates />
      ) : view === 'proposals' ? (
        <Proposals />
      ) : q.trim() === '' ? (
        <Latest at={at} action={!isAdding && <NewFact onNew={() => setAdding(true)} />} />
      ) : (
        <Found q={q} at={at} />
      )}
    </View>
  );
}

function Stats(): ReactNode {
  const { data } = useQuery({
    queryKey: ['memory', 'stats'],
    queryFn: () => ask('GET /api/memory/stats'),
  });
  if (!data) return null;
  const { facts, procedures, provider } = data;
  return (
    <>
      {count(facts.current, 'fact')} {facts.current === 1 ? 'holds' : 'hold'}
      {facts.past > 0 && `, ${facts.past.toLocaleString()} held once`}
      {procedures > 0 && `, ${count(procedures, 'procedure')}`};{' '}
      {provider.id === null ? 'found by words' : `found by words and by meaning (${provider.id})`}.
    </>
  );
}

function NewFact({ onNew }: Readonly<{ onNew(): void }>): ReactNode {
  return (
    <button className="button button-main" onClick={onNew}>
      <Icon name="plus" size={12} />
      New fact
    </button>
  );
}

function Latest({ at, action }: Readonly<{ at: string | undefined; action: ReactNode }>): ReactNode {
  const scope = useScope();
  const { data, error } = useQuery({
    queryKey: ['memory', 'browse', scope],
    queryFn: () => ask('GET /api/memory', { ...scope, limit: 100 }),
  });
  if (!data) return <Unready error={error} />;
  if (data.facts.length === 0)
    return (
      <Empty
        title="Nothing is remembered yet"
        action={action}
        command={'holdfast memory save "Release day" "Releases are made on Tuesdays."'}
      >
        What one agent learned, the next one should not have to. Agents save facts with{' '}
        <code>memory_save</code>; you can, too.
      </Empty>
    );
  return <Rows facts={data.facts} at={at} />;
}

function Found({ q, at }: Readonly<{ q: string; at: string | undefined }>): ReactNode {
  const scope = useScope();
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['memory', 'search', q, scope],
    queryFn: () =>
      ask('POST /api/memory/search', { query: q, limit: 30, explain: true, quiet: true, ...scope }),
    placeholderData: (before) => before,
  });
  if (!data) return <Unready error={error} />;
  return (
    <div className={isPlaceholderData ? 'opacity-60' : ''} aria-live="polite">
      {data.degraded && <p className="text-meta text-faint px-4 pb-1">{data.degraded}</p>}
      {data.results.length === 0 ? (
        <p className="text-soft px-4">Nothing that is remembered answers this.</p>
      ) : (
        <Rows facts={data.results} at={at} />
      )}
    </div>
  );
}

function Rows({
  facts,
  at,
}: Readonly<{ facts: readonly (Fact | MemoryHit)[]; at: string | undefined }>): ReactNode {
  const setPlace = useSetPlace();
  return (
    <ol>
      {facts.map((fact) => (
        <li key={fact.id} className="border-line border-b">
          <button
            className={`hover:bg-sunken w-full px-4 py-2 text-left ${fact.id === at ? 'bg-chosen' : ''}`}
            onClick={() =>
              setPlace(
                'kind' in fact && fact.kind === 'procedure'
                  ? { view: 'procedures', q: undefined }
                  : { at: fact.id },
                true,
              )
            }
          >
            <span className="flex items-baseline gap-3">
              <span className="min-w-0 truncate font-medium">
                <Foreign text={fact.title} />
              </span>
              <Moment at={fact.updatedAt} className="ml-auto" />
            </span>
            <span className="text-soft line-clamp-2 max-w-[90ch]" dir="auto">
              <Foreign text={fact.content.slice(0, 400)} />
            </span>
            {'score' in fact && <Score hit={fact} />}
            {'score' in fact && <Standings {...fact} />}
            {fact.tags.length > 0 && (
              <span className="text-meta text-faint">{fact.tags.slice(0, 8).join(' · ')}</span>
            )}
          </button>
        </li>
      ))}
    </ol>
  );
}
