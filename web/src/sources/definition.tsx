import type { ReactNode } from 'react';
import { Diff } from '../parts/diff.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import type { Pending } from './queries.ts';

/** What a tool says of itself: all of it as a diff where it changed; of a new one what an agent would read of it first. */
export function Definition({
  pending: { tool, isNew, before, after },
}: Readonly<{ pending: Pending }>): ReactNode {
  const read = isNew ? readDefinition(after) : undefined;
  if (!read) return <Diff label={`Definition of ${tool}`} before={before ?? ''} after={after} />;
  return (
    <>
      <Quoted>
        <p dir="auto" className="whitespace-pre-wrap">
          <Foreign text={read.description} />
        </p>
        {read.parameters.length > 0 && (
          <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3">
            {read.parameters.map(({ name, type, about }) => (
              <div key={name} className="contents">
                <dt className="font-mono text-[12px]">
                  <Foreign text={name} /> <span className="text-faint">{type}</span>
                </dt>
                <dd className="text-soft min-w-0 break-words">
                  <Foreign text={about} />
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Quoted>
      <details className="mt-1">
        <summary className="quiet">Its whole definition</summary>
        <Diff label={`Definition of ${tool}`} before="" after={after} />
      </details>
    </>
  );
}

type Read = Readonly<{
  description: string;
  parameters: readonly Readonly<{ name: string; type: string; about: string }>[];
}>;

function readDefinition(text: string): Read | undefined {
  try {
    const { description, inputSchema } = JSON.parse(text) as {
      description?: unknown;
      inputSchema?: { properties?: Readonly<Record<string, { type?: unknown; description?: unknown }>> };
    };
    const parameters = Object.entries(inputSchema?.properties ?? {}).map(([name, each]) => ({
      name,
      type: typeof each.type === 'string' ? each.type : '',
      about: typeof each.description === 'string' ? each.description : '',
    }));
    return { description: typeof description === 'string' ? description : 'It says nothing.', parameters };
  } catch {
    return undefined;
  }
}
