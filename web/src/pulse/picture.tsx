import { useState, type ReactNode } from 'react';

type Cells = Readonly<{ heads: readonly string[]; rows: readonly (readonly (string | number)[])[] }>;

type PictureProps = Readonly<{
  /** What it answers. */
  question: string;
  /** The answer in a sentence. */
  answer: ReactNode;
  /** The same in numbers. */
  table: Cells;
  isTable?: boolean | undefined;
  aside?: ReactNode;
  children: ReactNode;
}>;

/** A picture answers a question that stands above it, and its numbers are one key away. */
export function Picture({
  question,
  answer,
  table,
  isTable = false,
  aside,
  children,
}: PictureProps): ReactNode {
  const [isOwn, setOwn] = useState<boolean | undefined>();
  const isShown = isOwn ?? isTable;
  return (
    <section aria-label={question} className="flex min-w-0 flex-col gap-1.5">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2 className="text-title min-w-0 flex-1 font-semibold">{question}</h2>
        {aside}
        {table.rows.length > 0 && (
          <button className="quiet" aria-pressed={isShown} onClick={() => setOwn(!isShown)}>
            Table
          </button>
        )}
      </div>
      <p className="text-soft">{answer}</p>
      {table.rows.length > 0 && (isShown ? <Numbers table={table} label={question} /> : children)}
    </section>
  );
}

function Numbers({ table: { heads, rows }, label }: Readonly<{ table: Cells; label: string }>): ReactNode {
  return (
    <div className="max-h-60 overflow-auto" tabIndex={0} role="region" aria-label={`${label} (table)`}>
      <table className="w-full text-left">
        <thead>
          <tr>
            {heads.map((head) => (
              <th
                key={head}
                scope="col"
                className="section-title border-line bg-ground sticky top-0 border-b py-1 pr-4"
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at} className="border-line border-b last:border-0">
              {row.map((cell, column) => (
                <td key={column} className="py-0.5 pr-4">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
