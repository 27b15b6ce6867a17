import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { isMissing } from '../api/call.ts';
import { useHasRoom, useHub } from '../frame/hub.ts';
import { usePlace, useSetPlace } from '../frame/place.ts';
import { Empty } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Table, View, ViewClosed, ViewUnready } from '../parts/page.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Moment } from '../parts/time.tsx';
import { AddSource } from './add.tsx';
import { SourceDrawer } from './drawer.tsx';
import { useSources, type SourceView } from './queries.ts';
import { StateWord } from './state.tsx';
import { FoundTools } from './tools.tsx';

const COLUMNS = [
  ['Source', 'minmax(8rem,12rem)'],
  ['State', '7rem'],
  ['Reached by', 'minmax(0,1fr)'],
  ['Tools', 'minmax(9rem,auto)'],
] as const;

export function SourcesPage(): ReactNode {
  const isThere = useHasRoom('sources');
  const { name } = useParams({ strict: false });
  const { data, error } = useSources();
  const { data: hub } = useHub();
  const [isAdding, setAdding] = useState(false);
  const create = hub?.isSignedIn === true && !isAdding && (
    <button className="button button-main" onClick={() => setAdding(true)}>
      <Icon name="plus" size={12} />
      New source
    </button>
  );
  const adding = isAdding && <AddSource onClose={() => setAdding(false)} />;
  const nothing = (
    <View title="Sources" about="MCP servers behind this hub.">
      {adding}
      <Empty
        title="No source yet"
        action={create}
        command="holdfast source add github -- npx -y @modelcontextprotocol/server-github"
      >
        A source is another MCP server behind this hub: its tools are found by search, asked about, pinned and
        written down like all others.
      </Empty>
    </View>
  );
  if (isThere === false) return nothing;
  if (isMissing(error)) return nothing;
  if (error) return <ViewClosed error={error} what="Sources" />;
  if (!data) return <ViewUnready />;
  if (name === undefined && data.sources.length === 0 && data.refused.length === 0) return nothing;
  return <Sources {...data} create={create} adding={adding} />;
}

function Sources({
  sources,
  refused,
  create,
  adding,
}: Readonly<{
  sources: readonly SourceView[];
  refused: readonly { name: string; problem: string }[];
  create: ReactNode;
  adding: ReactNode;
}>) {
  const { name } = useParams({ strict: false });
  const { q = '' } = usePlace();
  const setPlace = useSetPlace();
  const navigate = useNavigate();
  return (
    <View
      title="Sources"
      about="MCP servers behind this hub. A tool that is new or was changed waits until you have looked at it."
      aside={create}
      filter={
        <SearchField
          label="Search the tools of all sources"
          value={q}
          onChange={(text) => setPlace({ q: text === '' ? undefined : text })}
        />
      }
      detail={
        name !== undefined && (
          <SourceDrawer
            key={name}
            name={name}
            onClose={() => void navigate({ to: '/sources', search: (before) => before })}
          />
        )
      }
    >
      {adding}
      {q.trim() === '' ? (
        <Table label="Sources" columns={COLUMNS}>
          {sources.map((source) => (
            <Row key={source.name} source={source} isOpen={source.name === name} />
          ))}
          {refused.map((entry) => (
            <li key={entry.name} className="cells">
              <span className="truncate font-medium">{entry.name}</span>
              <span className="text-amber">refused</span>
              <span className="text-amber">{entry.problem}</span>
            </li>
          ))}
        </Table>
      ) : (
        <FoundTools sought={q.trim()} />
      )}
    </View>
  );
}

function Row({ source, isOpen }: Readonly<{ source: SourceView; isOpen: boolean }>): ReactNode {
  const { name, state, reason, command, url, quarantined, rejected, flagged, tools, since } = source;
  return (
    <li>
      <Link
        to="/sources/$name"
        params={{ name }}
        search={(before) => before}
        className={`cells hover:bg-sunken ${isOpen ? 'bg-chosen' : ''}`}
      >
        <span className="truncate font-medium">{name}</span>
        <StateWord state={state} />
        <span className={`min-w-0 truncate ${reason === null ? 'text-soft font-mono text-[12px]' : ''}`}>
          <span title={command?.join(' ')}>
            <Foreign text={reason ?? (command ? shortened(command) : (url ?? ''))} />
          </span>
        </span>
        <span className="text-meta text-faint flex flex-wrap gap-x-3">
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

/** A program by its name, files by their ends: where they lie is said on hover, and in full where the source lies open. */
function shortened([program = '', ...args]: readonly string[]): string {
  const words = args.map((word) => word.replace(/^\/.*(?=\/[^/]+\/[^/]+$)/, '…'));
  return [program.replace(/^.*[/\\]/, ''), ...words].join(' ');
}
