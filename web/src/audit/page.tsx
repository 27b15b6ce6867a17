import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { z } from 'zod';
import type { auditView } from '../../../src/features/broker/views.ts';
import { call, query } from '../api/call.ts';
import { usePlace, useSetPlace } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { PageHead } from '../parts/page.tsx';
import { Clock } from '../parts/time.tsx';

type Row = z.output<typeof auditView>;
type Page = Readonly<{ audit: Row[]; nextCursor: string | null }>;
type Verdict = Readonly<{
  ok: boolean;
  rows: number;
  head: string;
  problems: { seq: number; what: string }[];
}>;

const FIELDS = {
  tool: 'toolName',
  agent: 'agentId',
  outcome: 'outcome',
  decision: 'decision',
  phase: 'phase',
  call: 'callId',
} as const;

/** `tool:Bash agent:codex outcome:denied`; a lone word is the name of a tool. */
function filterOf(text: string): Record<string, string> {
  const parts = text.split(/\s+/).filter((part) => part !== '');
  const pairs = parts.map((part) => {
    const [name, value] = part.includes(':') ? part.split(/:(.*)/s) : ['tool', part];
    return [FIELDS[name as keyof typeof FIELDS] ?? 'toolName', value!];
  });
  return Object.fromEntries(pairs.filter(([, value]) => value !== '')) as Record<string, string>;
}

export function AuditPage(): ReactNode {
  const { q = '' } = usePlace();
  const setPlace = useSetPlace();
  const [text, setText] = useState(q);
  const { data, error, fetchNextPage, hasNextPage } = useInfiniteQuery({
    queryKey: ['audit', q],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      call<Page>(`/api/tools/audit${query({ ...filterOf(q), limit: 100, cursor: pageParam })}`),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const rows = data?.pages.flatMap(({ audit }) => audit) ?? [];
  const save = () => {
    const lines = rows.map((row) => JSON.stringify(row)).join('\n');
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([lines], { type: 'application/x-ndjson' }));
    link.download = 'holdfast-audit.ndjson';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  return (
    <>
      <PageHead
        title="Audit"
        aside={
          <button className="button" onClick={save} disabled={rows.length === 0}>
            Save what is shown
          </button>
        }
      >
        <Chain />
      </PageHead>
      <form
        className="px-4 pb-3"
        onSubmit={(event) => (event.preventDefault(), setPlace({ q: text === '' ? undefined : text }))}
      >
        <input
          className="field w-full max-w-xl font-mono text-[12px]"
          aria-label="Filter"
          placeholder="tool:Bash  agent:codex  outcome:denied  decision:require_approval"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </form>
      <div className="px-4">
        <Refused error={error} />
      </div>
      {!data && !error ? (
        <Skeleton />
      ) : rows.length === 0 && !error ? (
        <Empty title={q === '' ? 'No tool has been called yet' : 'No call matches this'}>
          Every governed call is written down before and after it runs, in a chain that shows if a row was
          changed or removed.
        </Empty>
      ) : (
        <ol className="border-line border-t">
          {rows.map((row) => (
            <AuditRow key={row.id} row={row} />
          ))}
        </ol>
      )}
      {hasNextPage && (
        <button className="button m-4 self-start" onClick={() => void fetchNextPage()}>
          Older ones
        </button>
      )}
    </>
  );
}

function AuditRow({ row }: Readonly<{ row: Row }>): ReactNode {
  const {
    createdAt,
    phase,
    toolName,
    agentId,
    principal,
    decision,
    outcome,
    reason,
    durationMs,
    argsSummary,
    resultSummary,
  } = row;
  const isBad = outcome !== null && outcome !== 'ok' && outcome !== 'asked';
  return (
    <li className="border-line border-b">
      <details className="group">
        <summary className="row hover:bg-sunken list-none px-4">
          <Clock at={createdAt} />
          <span className="w-14 shrink-0 text-meta text-faint">{phase}</span>
          <span className="min-w-0 flex-1 truncate">
            <Agent name={agentId ?? principal} /> <strong className="font-medium">{toolName}</strong>{' '}
            <code className="text-soft hidden font-mono text-[12px] sm:inline">
              <Foreign text={(argsSummary ?? '').slice(0, 160)} />
            </code>
          </span>
          <span
            className={`text-meta shrink-0 ${isBad ? 'text-amber' : outcome === 'ok' ? 'text-kelp' : 'text-soft'}`}
          >
            {outcome ?? decision ?? ''}
            {durationMs !== null && ` ${durationMs} ms`}
          </span>
        </summary>
        <dl className="bg-sunken grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 px-4 py-2 font-mono text-[12px]">
          {Object.entries({
            arguments: argsSummary,
            result: resultSummary,
            decision,
            reason,
            call: row.callId,
            sequence: row.seq,
            hash: row.hash,
          }).map(([name, value]) =>
            value === null ? null : (
              <div key={name} className="contents">
                <dt className="text-faint">{name}</dt>
                <dd className="break-words whitespace-pre-wrap">
                  <Foreign text={String(value)} />
                </dd>
              </div>
            ),
          )}
        </dl>
      </details>
    </li>
  );
}

/** Whether the chain is whole, looked at when the page opens. */
function Chain(): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['chain'],
    queryFn: () => call<Verdict>('/api/tools/audit/verify'),
    gcTime: 0,
  });
  if (error) return <>The chain could not be looked at: {error.message}</>;
  if (!data) return <>Looking at the chain…</>;
  if (!data.ok)
    return (
      <span className="text-amber font-medium">
        The chain is broken: {data.problems[0]?.what ?? 'a row was changed'} (row {data.problems[0]?.seq}).
      </span>
    );
  return (
    <span className="inline-flex items-center gap-1.5">
      <Icon name="tick" size={14} className="text-kelp" /> {data.rows.toLocaleString()} rows, whole and
      unchanged.{' '}
      <code
        className="text-faint hidden font-mono text-[11px] sm:inline"
        title="Keep this elsewhere; `holdfast audit verify --head` compares with it."
      >
        {data.head.slice(0, 24)}…
      </code>
    </span>
  );
}
