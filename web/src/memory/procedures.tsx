import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Procedure } from '../../../src/features/memory/fact.ts';
import { ask } from '../api/call.ts';
import { Diff } from '../parts/diff.tsx';
import { Empty, Refused } from '../parts/empty.tsx';
import { Cut, Foreign, Quoted } from '../parts/foreign.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Moment } from '../parts/time.tsx';
import { Unready } from '../parts/unready.tsx';
import { AddProcedure } from './add.tsx';
import { useScope } from './scope.ts';

export function Procedures(): ReactNode {
  const scope = useScope();
  const { data, error } = useQuery({
    queryKey: ['memory', 'procedures', scope],
    queryFn: () => ask('GET /api/memory/procedures', { ...scope, limit: 200 }),
  });
  const [isAdding, setAdding] = useState(false);
  if (!data) return <Unready error={error} />;
  const create = !isAdding && (
    <button className="button" onClick={() => setAdding(true)}>
      Write a procedure
    </button>
  );
  const form = isAdding && <AddProcedure onClose={() => setAdding(false)} />;
  if (data.procedures.length === 0)
    return (
      <>
        {form}
        <Empty
          title="No procedure is written down"
          action={create}
          command="holdfast memory list --procedures"
        >
          How something is done here, step by step, with every version kept. Agents write one by saving with a
          procedure name; you can, too.
        </Empty>
      </>
    );
  return (
    <>
      {form || <div className="border-line border-b px-4 py-2">{create}</div>}
      <ul>
        {data.procedures.map((procedure) => (
          <Row key={procedure.id} procedure={procedure} />
        ))}
      </ul>
    </>
  );
}

function Row({ procedure }: Readonly<{ procedure: Procedure }>): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { name, version, content, createdAt } = procedure;
  return (
    <li className="border-line border-b px-4 py-2">
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="flex items-baseline gap-2">
          <strong className="font-medium">
            <Foreign text={name} />
          </strong>
          <span className="text-meta text-faint">version {version}</span>
          <Moment at={createdAt} className="ml-auto" />
        </summary>
        <div className="mt-2 flex flex-col gap-3">
          <Quoted>
            <Cut text={content}>{(shown) => <Markdown text={shown} />}</Cut>
          </Quoted>
          {isOpen && version > 1 && <Change of={procedure} />}
        </div>
      </details>
    </li>
  );
}

/** What a version changed in the one before it. */
function Change({ of: { name, version: newest, scopeTeamId, scopeAgentId } }: Readonly<{ of: Procedure }>) {
  const [version, setVersion] = useState(newest);
  const [before, after] = [useVersion(version - 1), useVersion(version)];

  function useVersion(number: number) {
    return useQuery({
      queryKey: ['memory', 'procedure', name, number],
      queryFn: () =>
        ask('GET /api/memory/procedures/:name', {
          name,
          version: number,
          scopeTeamId: scopeTeamId ?? undefined,
          scopeAgentId: scopeAgentId ?? undefined,
        }),
    });
  }

  return (
    <div>
      <p className="mb-1 flex items-center gap-2">
        <label className="section-title flex items-center gap-2">
          What changed in version
          <select
            className="field min-h-6 py-0"
            value={version}
            onChange={({ target }) => setVersion(Number(target.value))}
          >
            {Array.from({ length: newest - 1 }, (_, at) => newest - at).map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      </p>
      <Refused error={before.error ?? after.error} />
      {before.data && after.data && (
        <Diff
          label="What changed"
          before={before.data.procedure.content}
          after={after.data.procedure.content}
        />
      )}
    </div>
  );
}
