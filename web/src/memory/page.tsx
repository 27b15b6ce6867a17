import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import type {
  Fact,
  FactDetail,
  MemoryHit,
  Procedure,
  SearchAnswer,
} from '../../../src/features/memory/fact.ts';
import { call, query } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useKeys } from '../frame/keys.ts';
import { usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { Diff } from '../parts/diff.tsx';
import { Drawer, Section } from '../parts/drawer.tsx';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { PageHead, Switch } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';

export function MemoryPage(): ReactNode {
  const { q = '', view = 'facts', at } = usePlace();
  const setPlace = useSetPlace();
  const [text, setText] = useState(q);
  const field = useRef<HTMLInputElement>(null);
  const sent = useRef(q);
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
    <div className="flex min-h-0 flex-1">
      <div className="min-w-0 flex-1 overflow-y-auto">
        <PageHead
          title="Memory"
          aside={
            <Switch
              label="Which"
              value={view === 'procedures' ? 'procedures' : 'facts'}
              options={[
                ['facts', 'Facts'],
                ['procedures', 'Procedures'],
              ]}
              onChange={(next) => setPlace({ view: next === 'facts' ? undefined : next, at: undefined })}
            />
          }
        >
          <Stats />
        </PageHead>
        {view === 'procedures' ? (
          <Procedures />
        ) : (
          <>
            <div className="relative px-4 pb-3">
              <Icon
                name="search"
                size={14}
                className="text-faint pointer-events-none absolute top-[9px] left-6.5"
              />
              <input
                ref={field}
                type="search"
                className="field w-full max-w-2xl pl-8"
                aria-label="Search memory"
                placeholder="Ask in your own words"
                value={text}
                onChange={({ target }) => setText(target.value)}
              />
            </div>
            {q.trim() === '' ? <Latest at={at} /> : <Found q={q} at={at} />}
          </>
        )}
      </div>
      {at !== undefined && view !== 'procedures' && (
        <FactDrawer key={at} id={at} onClose={() => setPlace({ at: undefined }, true)} />
      )}
    </div>
  );
}

type StatsAnswer = Readonly<{
  facts: { current: number; past: number };
  procedures: number;
  provider: { id: string | null };
}>;

function Stats(): ReactNode {
  const { data } = useQuery({
    queryKey: ['memory', 'stats'],
    queryFn: () => call<StatsAnswer>('/api/memory/stats'),
  });
  if (!data) return null;
  const { facts, procedures, provider } = data;
  return (
    <>
      {facts.current.toLocaleString()} facts hold, {facts.past.toLocaleString()} held once, {procedures}{' '}
      procedures; {provider.id === null ? 'found by words' : `found by words and by meaning (${provider.id})`}
      .
    </>
  );
}

function useScope(): Record<string, string> {
  const project = useProject();
  return project === undefined ? {} : { scopeTeamId: project };
}

function Latest({ at }: Readonly<{ at: string | undefined }>): ReactNode {
  const scope = useScope();
  const { data, error } = useQuery({
    queryKey: ['memory', 'browse', scope],
    queryFn: () => call<{ facts: Fact[] }>(`/api/memory${query({ ...scope, limit: 100 })}`),
  });
  if (error)
    return (
      <div className="px-4">
        <Refused error={error} />
      </div>
    );
  if (!data) return <Skeleton />;
  if (data.facts.length === 0)
    return (
      <Empty
        title="Nothing is remembered yet"
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
      call<SearchAnswer>('/api/memory/search', {
        method: 'POST',
        body: { query: q, limit: 30, explain: true, ...scope },
      }),
    placeholderData: (before) => before,
  });
  if (error)
    return (
      <div className="px-4">
        <Refused error={error} />
      </div>
    );
  if (!data) return <Skeleton />;
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
    <ol className="border-line border-t">
      {facts.map((fact) => (
        <li key={fact.id} className="border-line border-b">
          <button
            className={`hover:bg-sunken w-full px-4 py-2 text-left ${fact.id === at ? 'bg-sunken' : ''}`}
            onClick={() => setPlace({ at: fact.id }, true)}
          >
            <span className="flex items-baseline gap-3">
              <span className="min-w-0 truncate font-medium">
                <Foreign text={fact.title} />
              </span>
              {'score' in fact && <Score hit={fact} />}
              <Moment at={fact.updatedAt} className="ml-auto" />
            </span>
            <span className="text-soft line-clamp-2 max-w-[90ch]" dir="auto">
              <Foreign text={fact.content.slice(0, 400)} />
            </span>
            {fact.tags.length > 0 && (
              <span className="text-meta text-faint">{fact.tags.slice(0, 8).join(' · ')}</span>
            )}
          </button>
        </li>
      ))}
    </ol>
  );
}

/** A score, drawn; what made it on hover. */
function Score({ hit }: Readonly<{ hit: MemoryHit }>): ReactNode {
  const signals: Readonly<Record<string, number>> = typeof hit.why === 'object' ? hit.why : {};
  const why = Object.entries(signals)
    .filter(([, value]) => value !== 0)
    .sort(([, a], [, b]) => b - a);
  const text = why.map(([name, value]) => `${name} ${value.toFixed(2)}`).join(', ');
  return (
    <span className="text-meta text-faint inline-flex shrink-0 items-center gap-1.5" title={text}>
      <span className="bg-line h-[3px] w-10 overflow-hidden rounded-full" aria-hidden="true">
        <span
          className="bg-tide block h-full origin-left"
          style={{ transform: `scaleX(${Math.min(1, hit.score)})` }}
        />
      </span>
      {hit.score.toFixed(2)}
      <span className="hidden lg:inline">
        {why
          .slice(0, 3)
          .map(([name]) => name)
          .join(', ')}
      </span>
    </span>
  );
}

function FactDrawer({ id, onClose }: Readonly<{ id: string; onClose(): void }>): ReactNode {
  const path = `/api/memory/facts/${encodeURIComponent(id)}`;
  const { data: fact, error } = useQuery({
    queryKey: ['memory', 'fact', id],
    queryFn: () => call<FactDetail>(path),
    retry: false,
  });
  const { data: history } = useQuery({
    queryKey: ['memory', 'history', id],
    queryFn: () => call<{ versions: FactDetail[] }>(`${path}/history`),
    retry: false,
  });
  const [text, setText] = useState<string | undefined>();
  const [isSure, setSure] = useState(false);
  const setPlace = useSetPlace();
  const stale = () => queryClient.invalidateQueries({ queryKey: ['memory'] });
  const supersede = useMutation({
    mutationFn: (content: string) =>
      call<{ fact?: Fact }>(`${path}/supersede`, { method: 'POST', body: { content } }),
    onSuccess: ({ fact: made }) => (setText(undefined), made && setPlace({ at: made.id }), stale()),
  });
  const forget = useMutation({
    mutationFn: () => call(path, { method: 'DELETE' }),
    onSuccess: () => (onClose(), stale()),
  });
  const versions = history?.versions ?? [];
  const submit = (event: FormEvent) => (event.preventDefault(), text && supersede.mutate(text));
  return (
    <Drawer
      label="A fact"
      onClose={onClose}
      head={
        <h2 className="text-title truncate font-semibold">
          <Foreign text={fact?.title ?? ''} />
        </h2>
      }
    >
      <Refused error={error ?? supersede.error ?? forget.error} />
      {fact && (
        <>
          {text === undefined ? (
            <Quoted
              by={
                <>
                  <span className="text-ink font-medium">
                    <Foreign text={fact.author} />
                  </span>{' '}
                  {fact.authorAsserted && 'by its own word,'} from <Foreign text={fact.source} />{' '}
                  <Moment at={fact.createdAt} />
                </>
              }
            >
              <Markdown text={fact.content} />
            </Quoted>
          ) : (
            <form onSubmit={submit} className="flex flex-col gap-2">
              <textarea
                autoFocus
                className="field w-full"
                rows={8}
                aria-label="What holds instead"
                value={text}
                onChange={({ target }) => setText(target.value)}
              />
              <div className="flex justify-end gap-2">
                <button type="button" className="button" onClick={() => setText(undefined)}>
                  Leave
                </button>
                <button className="button button-main" disabled={text.trim() === '' || text === fact.content}>
                  This holds instead
                </button>
              </div>
            </form>
          )}
          <p className="text-meta text-faint mt-2">
            {fact.tags.join(' · ')} {fact.scopeTeamId !== null && `for ${fact.scopeTeamId}`}{' '}
            {fact.scopeAgentId !== null && `for ${fact.scopeAgentId} alone`}
            {fact.validTo !== null && <span className="text-amber"> no longer holds</span>}
          </p>
          {fact.validTo === null && text === undefined && (
            <div className="mt-3 flex gap-2">
              <button className="button" onClick={() => setText(fact.content)}>
                Correct it
              </button>
              {isSure ? (
                <button className="button" onClick={() => forget.mutate()}>
                  Forget it for good: text, index and history
                </button>
              ) : (
                <button className="button" onClick={() => setSure(true)}>
                  Forget…
                </button>
              )}
            </div>
          )}
          {versions.length > 1 && (
            <Section title="Earlier">
              <ol className="flex flex-col gap-3">
                {versions
                  .slice(1)
                  .toReversed()
                  .map((version, at, all) => (
                    <li key={version.id}>
                      <Moment at={version.validFrom} />
                      <Diff
                        label="What changed"
                        before={versions[all.length - 1 - at]!.content}
                        after={version.content}
                      />
                    </li>
                  ))}
              </ol>
            </Section>
          )}
        </>
      )}
      {!fact && !error && <Skeleton />}
    </Drawer>
  );
}

function Procedures(): ReactNode {
  const scope = useScope();
  const { data, error } = useQuery({
    queryKey: ['memory', 'procedures', scope],
    queryFn: () =>
      call<{ procedures: Procedure[] }>(`/api/memory/procedures${query({ ...scope, limit: 200 })}`),
  });
  if (error)
    return (
      <div className="px-4">
        <Refused error={error} />
      </div>
    );
  if (!data) return <Skeleton />;
  if (data.procedures.length === 0)
    return (
      <Empty title="No procedure is written down">
        How something is done here, step by step, with every version kept. Agents write one by saving with a
        procedure name.
      </Empty>
    );
  return (
    <ul className="border-line border-t">
      {data.procedures.map((procedure) => (
        <li key={procedure.id} className="border-line border-b px-4 py-2">
          <details>
            <summary className="flex items-baseline gap-2">
              <strong className="font-medium">
                <Foreign text={procedure.name} />
              </strong>
              <span className="text-meta text-faint">version {procedure.version}</span>
              <Moment at={procedure.createdAt} className="ml-auto" />
            </summary>
            <div className="mt-2">
              <Quoted>
                <Markdown text={procedure.content} />
              </Quoted>
            </div>
          </details>
        </li>
      ))}
    </ul>
  );
}
