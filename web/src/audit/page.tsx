import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { PageHead, Switch } from '../parts/page.tsx';
import { Clock } from '../parts/time.tsx';
import { type AuditFilter, type AuditPage as Page, filterOf } from './filter.ts';

type Row = Page['audit'][number];

/** Kept for an archive or a program: every row that matches, one JSON object a line, whole pages at a time. */
async function download(filter: AuditFilter): Promise<number> {
  const lines: string[] = [];
  let cursor: string | undefined;
  do {
    const page: Page = await ask('GET /api/tools/audit', { ...filter, limit: 1_000, cursor });
    lines.push(...page.audit.map((row) => JSON.stringify(row)));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && lines.length < MOST_SAVED);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([`${lines.join('\n')}\n`], { type: 'application/x-ndjson' }));
  link.download = 'holdfast-audit.ndjson';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  return lines.length;
}

/** More than a browser should hold; `holdfast audit` has no such end. */
const MOST_SAVED = 100_000;

const KINDS = [
  ['', 'All calls'],
  ['outcome:denied', 'Refused'],
  ['outcome:error', 'Failed'],
  ['phase:decision', 'Decisions'],
] as const;

export function AuditPage(): ReactNode {
  const { q = '' } = usePlace();
  const setPlace = useSetPlace();
  const [text, setText] = useState(q);
  const [seen, setSeen] = useState(q);
  const project = useProject();
  // The project of the header, unless the filter names another.
  const filter = useMemo(
    () => ({ ...(project !== undefined && { teamId: project }), ...filterOf(q) }),
    [q, project],
  );
  if (seen !== q) {
    setSeen(q);
    setText(q);
  }
  const { data, error, fetchNextPage, hasNextPage } = useInfiniteQuery({
    queryKey: ['audit', q, project],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => ask('GET /api/tools/audit', { ...filter, limit: 100, cursor: pageParam }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const rows = data?.pages.flatMap(({ audit }) => audit) ?? [];
  const save = useMutation({ mutationFn: () => download(filter) });
  const go = (next: string) => setPlace({ q: next === '' ? undefined : next }, true);
  return (
    <>
      <PageHead
        title="Audit"
        aside={
          <button
            className="button"
            onClick={() => save.mutate()}
            disabled={rows.length === 0 || save.isPending}
            title="Every row that matches, as JSON lines"
          >
            Export
          </button>
        }
      >
        <Chain />
      </PageHead>
      <form
        className="flex flex-wrap items-center gap-2 px-4 pb-3"
        onSubmit={(event) => (event.preventDefault(), go(text.trim()))}
      >
        <input
          type="search"
          className="field min-w-0 flex-1 basis-72 font-mono text-[12px] lg:max-w-xl"
          aria-label="Filter"
          placeholder="words  tool:Bash  agent:codex  outcome:denied  since:2d"
          value={text}
          onChange={({ target }) => (setText(target.value), target.value === '' && go(''))}
        />
        <Switch
          label="Which"
          value={KINDS.find(([kind]) => kind === q)?.[0] ?? 'own'}
          options={KINDS}
          onChange={go}
        />
      </form>
      <div className="px-4">
        <Refused error={error ?? save.error} />
        <p aria-live="polite" className="text-soft">
          {save.data !== undefined && `${save.data.toLocaleString()} rows saved.`}
        </p>
      </div>
      {!data && !error ? (
        <Skeleton />
      ) : rows.length === 0 && !error ? (
        <Empty
          title={q === '' && project === undefined ? 'No tool has been called yet' : 'No call matches this'}
        >
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
          <span className="text-meta text-faint hidden w-14 shrink-0 sm:block">{phase}</span>
          <span className="min-w-0 flex-1 truncate">
            <Agent name={agentId ?? principal} /> <strong className="font-medium">{toolName}</strong>{' '}
            <code className="text-soft hidden font-mono text-[12px] sm:inline">
              <Foreign text={(argsSummary ?? '').slice(0, 160)} />
            </code>
          </span>
          <span
            className={`text-meta shrink-0 ${isBad ? 'text-amber' : outcome === 'ok' ? 'text-kelp' : 'text-soft'}`}
          >
            {(outcome ?? decision ?? reason ?? '').replaceAll('_', ' ')}
            {durationMs !== null && ` ${durationMs} ms`}
          </span>
        </summary>
        <dl className="bg-sunken grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 px-4 py-2 font-mono text-[12px]">
          {Object.entries({
            arguments: argsSummary,
            result: resultSummary,
            project: row.teamId,
            folder: row.folder,
            client: row.client,
            decision,
            reason,
            grant: row.grantId,
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
    queryFn: () => ask('GET /api/tools/audit/verify'),
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
