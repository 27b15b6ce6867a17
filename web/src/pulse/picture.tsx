import { useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react';

type Cells = Readonly<{ heads: readonly string[]; rows: readonly (readonly (string | number)[])[] }>;

type PictureProps = Readonly<{
  /** What it answers. */
  question: string;
  /** The answer in a sentence. */
  answer: ReactNode;
  /** The same in numbers. */
  table: Cells;
  isTable?: boolean | undefined;
  /** Nothing to draw: the sentence says it, an empty frame would not say more. */
  isEmpty?: boolean;
  aside?: ReactNode;
  children: ReactNode;
}>;

/** A picture answers a question that stands above it, and its numbers are one key away. */
export function Picture({
  question,
  answer,
  table,
  isTable = false,
  isEmpty = false,
  aside,
  children,
}: PictureProps): ReactNode {
  const [isOwn, setOwn] = useState<boolean | undefined>();
  const isShown = isOwn ?? isTable;
  return (
    <section aria-label={question} className="flex min-w-0 flex-col gap-1.5">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h2 className="text-title min-w-0 flex-1 basis-64 font-semibold">{question}</h2>
        {table.rows.length > 0 && (
          <button className="quiet" aria-pressed={isShown} onClick={() => setOwn(!isShown)}>
            Table
          </button>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p className="text-soft min-w-0 flex-1 basis-56">{answer}</p>
        {table.rows.length > 0 && aside}
      </div>
      {(!isEmpty || isShown) &&
        table.rows.length > 0 &&
        (isShown ? <Numbers table={table} label={question} /> : children)}
    </section>
  );
}

const [LEAST, MOST] = [300, 600];

/** As wide as there is room for, so that words in a picture keep their size where it is narrow. */
export function useRoom(): readonly [RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(MOST);
  useLayoutEffect(() => {
    const { current } = box;
    if (!current) return undefined;
    const measure = () => setWidth(Math.round(Math.max(LEAST, Math.min(MOST, current.clientWidth))));
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(current);
    return () => watch.disconnect();
  }, []);
  return [box, width];
}

function Numbers({ table: { heads, rows }, label }: Readonly<{ table: Cells; label: string }>): ReactNode {
  return (
    <div className="max-h-90 overflow-auto" tabIndex={0} role="region" aria-label={`${label} (table)`}>
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
                <td key={column} className={`py-0.5 pr-4 ${column === 0 ? 'whitespace-nowrap' : ''}`}>
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
