import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { inWords } from '../approvals/request.ts';
import { afresh, usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Switch, Table, View } from '../parts/page.tsx';
import { Clock } from '../parts/time.tsx';
import { Calls } from '../pulse/pictures.tsx';
import { usePulse } from '../pulse/queries.ts';
import { time } from '../pulse/say.ts';
import { type Call, callsOf, textOf } from './calls.ts';
import { type AuditFilter, type AuditPage as Page, filterOf } from './filter.ts';

const COLUMNS = [
  ['Call', 'minmax(0, 1fr)'],
  ['Who', 'minmax(6rem, 11rem)'],
  ['When', '3.5rem'],
  ['Outcome', '7rem'],
  ['Ran', '6rem'],
  ['Waited', '7rem'],
] as const;

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
  const rows = useMemo(() => data?.pages.flatMap(({ audit }) => audit) ?? [], [data]);
  const calls = useMemo(() => callsOf(rows), [rows]);
  const save = useMutation({ mutationFn: () => download(filter) });
  const go = (next: string) => setPlace({ q: next === '' ? undefined : next }, true);
  return (
    <View
      title="Audit"
      about={<Chain />}
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
      filter={
        <form
          className="flex flex-1 flex-wrap items-center gap-2"
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
      }
    >
      {q === '' && <Drawn project={project} />}
      <div className="px-4 py-1 empty:hidden">
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
          action={
            <Link to="/policy" search={afresh} className="button">
              What agents may call
            </Link>
          }
        >
          Every governed call is written down before and after it runs, in a chain that shows if a row was
          changed or removed.
        </Empty>
      ) : (
        <Table label="Calls" columns={COLUMNS}>
          {calls.map((call) => (
            <CallRow key={call.row.id} call={call} />
          ))}
        </Table>
      )}
      {hasNextPage && (
        <button className="button m-4 self-start" onClick={() => void fetchNextPage()}>
          Load older
        </button>
      )}
    </View>
  );
}

function CallRow({ call }: Readonly<{ call: Call }>): ReactNode {
  const { row, before, ranMs, waitedMs } = call;
  const { createdAt, phase, toolName, agentId, principal, outcome, reason, argsSummary } = row;
  const decision = row.decision ?? before?.decision ?? null;
  const isBad = outcome !== null && outcome !== 'ok' && outcome !== 'asked';
  const word =
    phase === 'decision'
      ? (decision ?? 'decided')
      : (outcome ?? (phase === 'before' ? 'under way' : decision));
  const args = argsSummary ?? before?.argsSummary ?? null;
  return (
    <li>
      <details className="group">
        <summary className="cells hover:bg-sunken list-none">
          <span className="truncate">
            <strong className="font-medium">{toolName}</strong>{' '}
            <code className="text-soft font-mono text-[12px]">
              <Foreign text={inWords(args ?? '').slice(0, 160)} />
            </code>
          </span>
          <span className="truncate">
            {principal === 'system:system' ? 'the hub' : <Agent name={agentId ?? principal} />}
          </span>
          <Clock at={createdAt} />
          <span className={isBad ? 'text-amber' : outcome === 'ok' ? 'text-kelp' : 'text-soft'}>
            {(word ?? reason ?? '').replaceAll('_', ' ')}
          </span>
          <Took word="ran" ms={ranMs} />
          <Took word="waited" ms={waitedMs} />
        </summary>
        <dl className="bg-sunken grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 px-4 py-2 font-mono text-[12px]">
          {Object.entries({
            arguments: args,
            result: textOf(row.resultSummary),
            project: row.teamId,
            folder: row.folder,
            client: row.client,
            decision,
            reason: reason ?? before?.reason ?? null,
            grant: row.grantId,
            call: row.callId,
            sequence: before ? `${before.seq}, ${row.seq}` : row.seq,
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

/** The word stands in the head of the column where there is one. */
function Took({ word, ms }: Readonly<{ word: string; ms: number | null }>): ReactNode {
  return (
    <span className="text-meta text-soft">
      {ms !== null && (
        <>
          <span className="@min-[740px]/list:sr-only">{word} </span>
          {time(ms)}
        </>
      )}
    </span>
  );
}

/** How many of them there were, drawn; folded away for who looks for one row. */
function Drawn({ project }: Readonly<{ project: string | undefined }>): ReactNode {
  const { data } = usePulse(14, project);
  if (!data || data.calls.length === 0) return null;
  return (
    <div className="border-line border-b px-4 py-3">
      <div className="max-w-[620px]">
        <Calls pulse={data} />
      </div>
    </div>
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
      {data.rows > 0 && (
        <code
          className="text-faint hidden font-mono text-[11px] sm:inline"
          title="Keep this elsewhere; `holdfast audit verify --head` compares with it."
        >
          {data.head.slice(0, 24)}…
        </code>
      )}
    </span>
  );
}
