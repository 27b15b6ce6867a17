import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useHasRoom } from '../frame/hub.ts';
import { usePlace, useSetPlace } from '../frame/place.ts';
import { Empty, Skeleton, Unavailable } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { PageHead } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { SourceDrawer } from './drawer.tsx';
import { useSources, type SourceView } from './queries.ts';
import { StateWord } from './state.tsx';
import { FoundTools } from './tools.tsx';

export function SourcesPage(): ReactNode {
  const isThere = useHasRoom('sources');
  const { data, error } = useSources();
  const nothing = (
    <>
      <PageHead title="Sources">MCP servers behind this hub.</PageHead>
      <Empty
        title="No source yet"
        command="holdfast source add github -- npx -y @modelcontextprotocol/server-github"
      >
        A source is another MCP server behind this hub: its tools are found by search, asked about, pinned and
        written down like all others.
      </Empty>
    </>
  );
  if (isThere === false) return nothing;
  if (error)
    return (
      <Unavailable error={error} what="Sources">
        {nothing}
      </Unavailable>
    );
  if (!data) return <Skeleton />;
  if (data.sources.length === 0 && data.refused.length === 0) return nothing;
  return <Sources {...data} />;
}

function Sources({
  sources,
  refused,
}: Readonly<{ sources: readonly SourceView[]; refused: readonly { name: string; problem: string }[] }>) {
  const { name } = useParams({ strict: false });
  const { q = '' } = usePlace();
  const setPlace = useSetPlace();
  const navigate = useNavigate();
  return (
    <div className="flex min-h-0 flex-1">
      <div className="min-w-0 flex-1 overflow-y-auto">
        <PageHead title="Sources">
          MCP servers behind this hub. A tool whose definition changed waits until you have looked at it.
        </PageHead>
        <div className="relative px-4 pb-3">
          <Icon
            name="search"
            size={14}
            className="text-faint pointer-events-none absolute top-[9px] left-6.5"
          />
          <input
            type="search"
            className="field w-full max-w-2xl pl-8"
            aria-label="Search the tools of all sources"
            placeholder="Search the tools of all sources"
            value={q}
            onChange={({ target }) => setPlace({ q: target.value === '' ? undefined : target.value })}
          />
        </div>
        {q.trim() === '' ? (
          <ul className="border-line border-t">
            {sources.map((source) => (
              <Row key={source.name} source={source} isOpen={source.name === name} />
            ))}
            {refused.map((entry) => (
              <li key={entry.name} className="row border-line flex-wrap border-b px-4 py-1">
                <span className="w-40 truncate font-medium">{entry.name}</span>
                <span className="text-amber min-w-0">{entry.problem}</span>
              </li>
            ))}
          </ul>
        ) : (
          <FoundTools sought={q.trim()} />
        )}
      </div>
      {name !== undefined && (
        <SourceDrawer
          key={name}
          name={name}
          onClose={() => void navigate({ to: '/sources', search: (before) => before })}
        />
      )}
    </div>
  );
}

function Row({ source, isOpen }: Readonly<{ source: SourceView; isOpen: boolean }>): ReactNode {
  const { name, state, reason, command, url, quarantined, rejected, flagged, tools, since } = source;
  return (
    <li className="border-line border-b">
      <Link
        to="/sources/$name"
        params={{ name }}
        className={`hover:bg-sunken grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 px-4 py-1.5 sm:grid-cols-[10rem_7rem_minmax(0,1fr)_auto] ${isOpen ? 'bg-sunken' : ''}`}
      >
        <span className="truncate font-medium">{name}</span>
        <StateWord state={state} />
        <span className={`min-w-0 truncate ${reason === null ? 'text-soft font-mono text-[12px]' : ''}`}>
          <Foreign text={reason ?? command?.join(' ') ?? url ?? ''} />
        </span>
        <span className="text-meta text-faint flex gap-3 justify-self-end">
          {flagged.length > 0 && <span className="text-amber">{flagged.length} suspicious</span>}
          {rejected > 0 && <span>{rejected} rejected</span>}
          {quarantined > 0 && <span className="text-coral">{quarantined} to look at</span>}
          <span>
            {tools} {tools === 1 ? 'tool' : 'tools'}
          </span>
          <Moment at={since} />
        </span>
        {flagged.length > 0 && (
          <span className="text-amber col-span-full min-w-0 truncate">
            <Foreign
              text={flagged.map(({ tool, findings }) => `${tool}: ${findings.join(', ')}`).join('; ')}
            />
          </span>
        )}
      </Link>
    </li>
  );
}
