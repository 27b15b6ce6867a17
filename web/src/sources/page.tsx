import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useHasRoom } from '../frame/hub.ts';
import { Drawer, Section } from '../parts/drawer.tsx';
import { Empty, Refused, Skeleton, Unavailable } from '../parts/empty.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { PageHead } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { Definition } from './definition.tsx';
import { useApprove, useReview, useSource, useSourceAction, useSources, type SourceView } from './queries.ts';

const COLOURS: Readonly<Record<SourceView['state'], string>> = {
  ready: 'text-kelp',
  starting: 'text-soft',
  failing: 'text-amber',
  stopped: 'text-faint',
  quarantined: 'text-coral',
};

export function SourcesPage(): ReactNode {
  const isThere = useHasRoom('sources');
  const { name } = useParams({ strict: false });
  const navigate = useNavigate();
  const { data, error } = useSources();
  const nothing = (
    <Empty
      isPage
      title="No source yet"
      command={'holdfast source add github -- npx -y @modelcontextprotocol/server-github'}
    >
      A source is another MCP server behind this hub: its tools are found by search, asked about, pinned and
      written down like all others.
    </Empty>
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
  return (
    <div className="flex min-h-0 flex-1">
      <div className="min-w-0 flex-1 overflow-y-auto">
        <PageHead title="Sources">
          MCP servers behind this hub. A tool whose definition changed waits until you have looked at it.
        </PageHead>
        <ul className="border-line border-t">
          {data.sources.map((source) => (
            <li key={source.name} className="border-line border-b">
              <Link
                to="/sources/$name"
                params={{ name: source.name }}
                className={`row hover:bg-sunken flex-wrap px-4 ${source.name === name ? 'bg-sunken' : ''}`}
              >
                <span className="w-40 truncate font-medium">{source.name}</span>
                <span className={`w-24 ${COLOURS[source.state]}`}>{source.state}</span>
                <span className="text-soft min-w-0 flex-1 truncate">
                  {source.reason ?? source.command?.join(' ') ?? source.url}
                </span>
                {source.quarantined > 0 && (
                  <span className="text-coral">{source.quarantined} to look at</span>
                )}
                <span className="text-meta text-faint">{source.tools} tools</span>
                <Moment at={source.since} />
              </Link>
            </li>
          ))}
          {data.refused.map(({ name: refused, problem }) => (
            <li key={refused} className="row border-line border-b px-4">
              <span className="w-40 font-medium">{refused}</span>{' '}
              <span className="text-amber">{problem}</span>
            </li>
          ))}
        </ul>
      </div>
      {name !== undefined && (
        <SourceDrawer key={name} name={name} onClose={() => void navigate({ to: '/sources' })} />
      )}
    </div>
  );
}

const FEW_TOOLS = 8;

function SourceDrawer({ name, onClose }: Readonly<{ name: string; onClose(): void }>): ReactNode {
  const { data, error } = useSource(name);
  const { data: review } = useReview(name);
  const act = useSourceAction(name);
  const approve = useApprove(name);
  const [sought, setSought] = useState('');
  const words = sought.toLowerCase().split(/\s+/);
  const tools = (data?.source.toolList ?? []).filter((tool) =>
    words.every((word) => `${tool.name} ${tool.description}`.toLowerCase().includes(word)),
  );
  return (
    <Drawer
      label={`Source ${name}`}
      onClose={onClose}
      head={<h2 className="text-title font-semibold">{name}</h2>}
    >
      <Refused error={error ?? act.error ?? approve.error} />
      {data && (
        <>
          <div className="flex gap-2">
            <button className="button" onClick={() => act.mutate({ what: 'test', body: {} })}>
              Connect now
            </button>
            <button
              className="button"
              onClick={() => act.mutate({ what: 'switch', body: { enabled: !data.source.enabled } })}
            >
              {data.source.enabled ? 'Switch off' : 'Switch on'}
            </button>
          </div>
          {review && review.pending.length > 0 && (
            <Section
              title="Look at these"
              aside={
                <button className="button" onClick={() => approve.mutate({ review })}>
                  Approve all {review.pending.length}
                </button>
              }
            >
              <ul className="flex flex-col gap-4">
                {review.pending.map((pending) => (
                  <li key={pending.tool}>
                    <div className="row">
                      <strong className="font-medium">
                        <Foreign text={pending.tool} />
                      </strong>
                      <span className="text-coral">{pending.isNew ? 'new' : 'changed'}</span>
                      <button
                        className="button ml-auto"
                        onClick={() => approve.mutate({ review, tool: pending })}
                      >
                        Approve
                      </button>
                    </div>
                    {pending.findings.map(({ kind, where, what }) => (
                      <p key={`${kind} ${where}`} className="text-amber mb-1">
                        {kind} in {where}: <Foreign text={what} />
                      </p>
                    ))}
                    <Definition pending={pending} />
                  </li>
                ))}
              </ul>
            </Section>
          )}
          {data.source.instructions && (
            <Section title="What it says about itself">
              <Quoted>
                <Foreign text={data.source.instructions} />
              </Quoted>
            </Section>
          )}
          <Section title={`Tools (${data.source.toolList.length})`}>
            {data.source.toolList.length > FEW_TOOLS && (
              <input
                type="search"
                className="field mb-1 w-full"
                aria-label="Search its tools"
                placeholder="Search its tools"
                value={sought}
                onChange={({ target }) => setSought(target.value)}
              />
            )}
            <ul>
              {tools.map((tool) => (
                <li key={tool.name} className="border-line border-b py-1">
                  <span className="flex gap-2">
                    <code className="font-mono text-[12px]">
                      <Foreign text={tool.name} />
                    </code>
                    <span className="text-meta text-faint">{tool.standing}</span>
                  </span>
                  <span className="text-soft line-clamp-2">
                    <Foreign text={tool.description} />
                  </span>
                </li>
              ))}
            </ul>
          </Section>
        </>
      )}
      {!data && !error && <Skeleton />}
    </Drawer>
  );
}
