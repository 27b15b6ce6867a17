import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { usePlace, useSetPlace } from '../frame/place.ts';
import { Drawer, Section } from '../parts/drawer.tsx';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Table, View, ViewUnready } from '../parts/page.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Moment } from '../parts/time.tsx';
import { AddFile } from './add.tsx';
import { CreditPlot } from './credit-plot.tsx';

const columnsOf = (last: string) =>
  [
    ['File', 'minmax(10rem,16rem)'],
    ['Credit', '5.5rem'],
    [last, 'minmax(0,1fr)'],
  ] as const;

/** Markdown files that earn or lose credit by being useful. */
export function BrainPage(): ReactNode {
  const { q = '', at } = usePlace();
  const setPlace = useSetPlace();
  const [text, setText] = useState(q);
  const [isAdding, setAdding] = useState(false);
  const { data: report, error } = useQuery({
    queryKey: ['brain', 'report'],
    queryFn: () => ask('GET /api/brain/report', { top_n: 100 }),
  });
  const { data: found } = useQuery({
    queryKey: ['brain', 'search', q],
    enabled: q !== '',
    queryFn: () => ask('GET /api/brain/memories', { query: q, limit: 50 }),
  });
  if (!report) return <ViewUnready error={error} />;
  const rows =
    q === ''
      ? report.top.map(({ id, name, score, access_count }) => ({
          id,
          name,
          score,
          text:
            access_count === 0
              ? 'never asked for'
              : `asked for ${access_count} ${access_count === 1 ? 'time' : 'times'}`,
        }))
      : (found?.results ?? []).map(({ id, name, credit_score, snippet }) => ({
          id,
          name,
          score: credit_score,
          text: snippet,
        }));
  const create = !isAdding && (
    <button className="button button-main" onClick={() => setAdding(true)}>
      <Icon name="plus" size={12} />
      New file
    </button>
  );
  return (
    <View
      title="Brain"
      aside={report.total_memories > 0 && create}
      about={
        <>
          {report.total_memories.toLocaleString()} {report.total_memories === 1 ? 'file' : 'files'}; what
          helps gains credit, what does not fades.
        </>
      }
      filter={
        report.total_memories > 0 && (
          <form
            className="w-full"
            onSubmit={(event) => (event.preventDefault(), setPlace({ q: text === '' ? undefined : text }))}
          >
            <SearchField
              label="Search the brain"
              placeholder="Search the files"
              value={text}
              onChange={(words) => (setText(words), words === '' && setPlace({ q: undefined }))}
            />
          </form>
        )
      }
      detail={
        at !== undefined && (
          <MemoryDrawer key={at} id={at} onClose={() => setPlace({ at: undefined }, true)} />
        )
      }
    >
      {isAdding && <AddFile onClose={() => setAdding(false)} />}
      {report.total_memories === 0 ? (
        <Empty title="The vault is empty" action={create} command="holdfast brain import notes --as projects">
          A folder of Markdown files that agents read and write through ClawBrain’s tools, and that you can
          open in any editor.
        </Empty>
      ) : (
        <>
          <div className="flex flex-wrap items-start gap-x-10 gap-y-3 px-4 py-3">
            <Histogram counts={report.distribution} />
            <Tidy />
          </div>
          {report.problems.map(({ path, reason }) => (
            <p key={path} className="bg-amber-wash mx-4 mb-1 rounded-one px-3 py-1">
              <code className="font-mono text-[12px]">{path}</code>: {reason}
            </p>
          ))}
          <Table label="Files" columns={columnsOf(q === '' ? 'Use' : 'Found')}>
            {rows.map((row) => (
              <li key={row.id}>
                <button
                  className={`cells hover:bg-sunken ${row.id === at ? 'bg-chosen' : ''}`}
                  onClick={() => setPlace({ at: row.id }, true)}
                >
                  <span className="truncate font-medium">
                    <Foreign text={row.name} />
                  </span>
                  <Credit score={row.score} />
                  <span className="text-soft truncate">
                    <Foreign text={row.text} />
                  </span>
                </button>
              </li>
            ))}
          </Table>
        </>
      )}
    </View>
  );
}

function Credit({ score }: Readonly<{ score: number }>): ReactNode {
  return (
    <span
      className="text-meta text-faint inline-flex w-20 shrink-0 items-center gap-1.5"
      title={`Credit ${score}`}
    >
      <span className="bg-line h-[3px] w-10 overflow-hidden rounded-full" aria-hidden="true">
        <span
          className="bg-kelp block h-full origin-left"
          style={{ transform: `scaleX(${Math.min(1, Math.max(0, score))})` }}
        />
      </span>
      {score.toFixed(2)}
    </span>
  );
}

function Histogram({ counts }: Readonly<{ counts: readonly number[] }>): ReactNode {
  const most = Math.max(1, ...counts);
  return (
    <figure>
      <figcaption className="section-title mb-1">How much credit do they have?</figcaption>
      <svg
        width="220"
        height="56"
        role="img"
        aria-label={`Memories per tenth of credit: ${counts.join(', ')}`}
      >
        {counts.map((count, at) => (
          <rect
            key={at}
            x={at * 22}
            y={44 - (count / most) * 42}
            width="20"
            height={Math.max(1, (count / most) * 42)}
            rx="2"
            className={count === 0 ? 'fill-line' : 'fill-kelp'}
          />
        ))}
        <text x="0" y="55" className="fill-faint text-[10px]">
          0
        </text>
        <text x="220" y="55" textAnchor="end" className="fill-faint text-[10px]">
          1
        </text>
      </svg>
    </figure>
  );
}

const MOST_LINES = 40;

function Tidy(): ReactNode {
  const compact = useMutation({
    mutationFn: (isDry: boolean) => ask('POST /api/brain/compact', { dry_run: isDry }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['brain'] }),
  });
  const undo = useMutation({
    mutationFn: () => ask('POST /api/brain/undo'),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['brain'] }),
  });
  return (
    <div className="min-w-0 flex-1 basis-72">
      <h2 className="section-title mb-1">Tidying</h2>
      <div className="flex flex-wrap gap-2">
        <button className="button" onClick={() => compact.mutate(true)}>
          What would tidying do?
        </button>
        {compact.data?.dry_run && compact.data.details.length > 0 && (
          <button className="button" onClick={() => compact.mutate(false)}>
            Apply
          </button>
        )}
        <button className="quiet" onClick={() => undo.mutate()}>
          Undo the last
        </button>
      </div>
      <div aria-live="polite" className="text-soft mt-1">
        <Refused error={compact.error ?? undo.error} />
        {undo.data && <p>Took back {undo.data.undone} steps.</p>}
        {compact.data && (
          <>
            <p>
              {compact.data.details.length === 0
                ? 'There is nothing to tidy.'
                : `${compact.data.consolidated} merged, ${compact.data.promoted} promoted, ${compact.data.pruned} pruned${compact.data.dry_run ? ', if you say so' : ''}.`}
            </p>
            <ul>
              {compact.data.details.slice(0, MOST_LINES).map((line) => (
                <li key={line} className="border-edge border-l-2 pl-2">
                  <Foreign text={line} />
                </li>
              ))}
              {compact.data.details.length > MOST_LINES && (
                <li className="text-faint">and {compact.data.details.length - MOST_LINES} more</li>
              )}
            </ul>
          </>
        )}
      </div>
    </div>
  );
}

function MemoryDrawer({ id, onClose }: Readonly<{ id: string; onClose(): void }>): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['brain', 'memory', id],
    queryFn: () => ask('GET /api/brain/memories/:id', { id }),
  });
  const { data: credit } = useQuery({
    queryKey: ['brain', 'credit', id],
    queryFn: () => ask('GET /api/brain/memories/:id/credit', { id }),
  });
  const steps = (credit?.events ?? []).toReversed();
  return (
    <Drawer
      label="A memory"
      onClose={onClose}
      head={
        <h2 className="text-title truncate font-semibold">
          <Foreign text={data?.name ?? id} />
        </h2>
      }
    >
      <Refused error={error} />
      {data && (
        <>
          <p className="text-meta text-faint mb-2 font-mono">
            {data.path}
            {data.pinned && ', pinned'}
          </p>
          <Quoted>
            <Markdown text={data.content} />
          </Quoted>
          <Section
            title="Credit"
            aside={
              <span className="text-meta text-faint">
                {data.credit_score.toFixed(2)} now, asked for {data.access_count}{' '}
                {data.access_count === 1 ? 'time' : 'times'}
              </span>
            }
          >
            {steps.length > 1 && <CreditPlot events={steps} />}
            <ol>
              {credit?.events.slice(0, 20).map((event, at) => (
                <li key={at} className="row min-h-6">
                  <span className={event.reward < 0 ? 'text-amber' : 'text-kelp'}>
                    {event.reward >= 0 ? '+' : ''}
                    {event.reward}
                  </span>{' '}
                  {event.event_type.replaceAll('_', ' ')} <Moment at={event.at} className="ml-auto" />
                </li>
              ))}
            </ol>
          </Section>
        </>
      )}
      {!data && !error && <Skeleton />}
    </Drawer>
  );
}
