import type { ReactNode } from 'react';
import { Diff } from '../parts/diff.tsx';
import { Foreign } from '../parts/foreign.tsx';
import type { Pending } from './queries.ts';

type Mark = Pending['findings'][number]['marks'][number];

/** What a tool says of itself: only what changed, or all of a new one, with the words that are suspicious marked. */
export function Definition({
  pending: { tool, fields, findings, before, after },
}: Readonly<{ pending: Pending }>): ReactNode {
  const marks = findings.flatMap((each) => each.marks);
  return (
    <>
      <dl className="flex flex-col gap-1">
        {fields.map((field) => (
          <div key={field.path}>
            <dt className="text-meta text-soft font-mono break-all">
              <Foreign text={field.path} />
              {field.change !== 'added' && <span className="text-faint"> {field.change}</span>}
            </dt>
            <dd className="border-edge border-l-2">
              {field.before !== null && <Side sign="-" text={field.before} marks={[]} />}
              {field.after !== null && (
                <Side
                  sign={field.change === 'changed' ? '+' : ' '}
                  text={field.after}
                  marks={marks.filter(({ path }) => path === field.path)}
                />
              )}
            </dd>
          </div>
        ))}
      </dl>
      <details className="mt-1">
        <summary className="quiet">Its whole definition</summary>
        <Diff label={`Definition of ${tool}`} before={before ?? ''} after={after} />
      </details>
    </>
  );
}

const SIDES = { '+': 'bg-kelp-wash', '-': 'bg-amber-wash', ' ': '' } as const;

type SideProps = Readonly<{ sign: keyof typeof SIDES; text: string; marks: readonly Mark[] }>;

function Side({ sign, text, marks }: SideProps): ReactNode {
  return (
    <p dir="auto" className={`flex px-2.5 py-0.5 whitespace-pre-wrap ${SIDES[sign]}`}>
      {sign !== ' ' && <span className="text-faint mr-2 shrink-0 font-mono select-none">{sign}</span>}
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{marked(text, marks)}</span>
    </p>
  );
}

/** The words of the marks stand out; what two of them share stands out once. */
function marked(text: string, marks: readonly Mark[]): readonly ReactNode[] {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { start, end } of marks.toSorted((a, b) => a.start - b.start)) {
    const from = Math.max(at, start);
    if (end <= from) continue;
    if (from > at) parts.push(<Foreign key={at} text={text.slice(at, from)} />);
    parts.push(
      <mark key={`m${from}`} className="bg-amber-wash text-amber rounded-sm font-semibold underline">
        <Foreign text={text.slice(from, end)} />
      </mark>,
    );
    at = end;
  }
  return [...parts, <Foreign key="rest" text={text.slice(at)} />];
}
