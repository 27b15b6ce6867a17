import { useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Icon } from '../parts/icons.tsx';
import { Code, GROUNDS, LineNumber } from './line.tsx';
import { keyOf, pairsOf, type Gap, type PatchLine, type Row } from './patch.ts';
import type { Paint } from './paint.ts';
import { KEPT_OF_LINES, keptOf, type Range } from './remarks.ts';

type LinesProps = Readonly<{
  path: string;
  rows: readonly Row[];
  paints: Readonly<Record<string, Paint>>;
  isSplit: boolean;
  onOpenGap(gap: Gap, end: 'top' | 'end' | 'all'): void;
  onChoose(range: Range): void;
  /** Another end of it is chosen next. */
  reaching: Range | undefined;
  /** What stands under a line. */
  under(key: string): ReactNode;
}>;

/** One stop of the tab key for a file; arrow keys go from line to line, with Shift they take lines along. */
export function Lines(props: LinesProps): ReactNode {
  const { path, rows, isSplit, reaching } = props;
  const [stop, setStop] = useState('');
  const anchor = useRef<PatchLine | undefined>(undefined);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const lines = useMemo(() => rows.flatMap((row) => ('line' in row ? [row.line] : [])), [rows]);
  const first = lines[0] && keyOf(lines[0]);
  const at = lines.some((line) => keyOf(line) === stop) ? stop : first;

  const begun = (): PatchLine | undefined =>
    reaching
      ? lines.find((line) => sideOf(line) === reaching.side && numberOf(line) === reaching.from)
      : anchor.current;
  const between = (line: PatchLine): readonly PatchLine[] => {
    const begin = begun();
    const isOld = line.sign === '-';
    if (!begin || (begin.sign === '-') !== isOld) return [line];
    const [a, b] = [lines.indexOf(begin), lines.indexOf(line)].sort((x, y) => x - y);
    const numbered = (each: PatchLine) => (isOld ? each.sign === '-' : each.sign !== '-');
    return a === undefined || a < 0 ? [line] : lines.slice(a, b! + 1).filter(numbered);
  };
  const choose = (line: PatchLine, isMore: boolean) => {
    const range = isMore ? between(line) : [line];
    if (!isMore || reaching) anchor.current = range.length > 1 ? begun() : line;
    setStop(keyOf(line));
    setChosen(new Set(range.length > 1 ? range.map(keyOf) : []));
    props.onChoose(rangeOf(path, range));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!(event.target instanceof HTMLButtonElement) || event.target.dataset['line'] === undefined) return;
    const all = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('button[data-line]')];
    const here = all.indexOf(event.target);
    if (step === undefined) return;
    event.preventDefault();
    const next = all[Math.max(0, Math.min(all.length - 1, here + step))];
    const key = next?.closest<HTMLElement>('[data-key]')?.dataset['key'];
    const [from, to] = [event.target.closest<HTMLElement>('[data-key]')?.dataset['key'], key].map((each) =>
      lines.find((line) => keyOf(line) === each),
    );
    if (event.shiftKey && from && to) {
      anchor.current ??= from;
      setChosen(new Set(between(to).map(keyOf)));
    } else {
      anchor.current = undefined;
      setChosen(new Set());
    }
    if (key !== undefined) setStop(key);
    next?.focus();
  };
  const number = (line: PatchLine) => (
    <LineNumber
      line={line}
      isStop={keyOf(line) === at}
      isChosen={chosen.has(keyOf(line))}
      onChoose={(isMore) => choose(line, isMore || reaching !== undefined || chosen.has(keyOf(line)))}
    />
  );
  return (
    <div onKeyDown={onKeyDown} className="font-mono text-[12px] leading-[20px]">
      {blocksOf(rows).map((block, index) =>
        'gap' in block ? (
          <GapRow key={`gap ${block.gap.key} ${block.gap.from}`} gap={block.gap} onOpen={props.onOpenGap} />
        ) : isSplit ? (
          <Split key={index} {...props} lines={block.lines} number={number} />
        ) : (
          <Unified key={index} {...props} lines={block.lines} number={number} />
        ),
      )}
    </div>
  );
}

type BlockProps = LinesProps & Readonly<{ lines: readonly PatchLine[]; number(line: PatchLine): ReactNode }>;

const TEXT = 'min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere] pr-3';

function Unified({ lines, paints, number, under }: BlockProps): ReactNode {
  return lines.map((line) => {
    const key = keyOf(line);
    return (
      <div key={key}>
        <div
          data-key={key}
          className={`grid grid-cols-[2.75rem_1rem_minmax(0,1fr)] sm:grid-cols-[2.75rem_2.75rem_1.25rem_minmax(0,1fr)] ${GROUNDS[line.sign]}`}
        >
          {line.sign === '-' ? (
            <>
              <span>{number(line)}</span>
              <span className="hidden sm:block" />
            </>
          ) : (
            <>
              <span className="text-faint hidden pr-2 text-right select-none sm:block">{line.before}</span>
              <span>{number(line)}</span>
            </>
          )}
          <span className="text-faint text-center select-none">{line.sign}</span>
          <span className={TEXT}>
            <Code line={line} paint={paints[key]} />
          </span>
        </div>
        <Under>{under(key)}</Under>
      </div>
    );
  });
}

function Split({ lines, paints, number, under }: BlockProps): ReactNode {
  return pairsOf(lines).map(({ left, right }) => {
    const side = (line: PatchLine | undefined, isLeft: boolean) => (
      <span
        data-key={line && keyOf(line)}
        className={`grid min-w-0 grid-cols-[2.75rem_1.25rem_minmax(0,1fr)] ${isLeft ? 'border-line border-r' : ''} ${line === undefined ? 'bg-sunken' : GROUNDS[line.sign]}`}
      >
        {line && (
          <>
            <span>
              {isLeft && line.sign === ' ' ? (
                <span className="text-faint block pr-2 text-right select-none">{line.before}</span>
              ) : (
                number(line)
              )}
            </span>
            <span className="text-faint text-center select-none">{line.sign}</span>
            <span className={TEXT}>
              <Code line={line} paint={paints[keyOf(line)]} />
            </span>
          </>
        )}
      </span>
    );
    const keys = [...new Set([left, right].flatMap((line) => (line ? [keyOf(line)] : [])))];
    return (
      <div key={keys.join(' ')}>
        <div className="grid grid-cols-2">
          {side(left, true)}
          {side(right, false)}
        </div>
        {keys.map((key) => (
          <Under key={key}>{under(key)}</Under>
        ))}
      </div>
    );
  });
}

function Under({ children }: Readonly<{ children: ReactNode }>): ReactNode {
  if (!children) return null;
  return <div className="border-line border-y px-3 py-1 sm:pl-24">{children}</div>;
}

const AT_ONCE = 20;

function GapRow({ gap, onOpen }: Readonly<{ gap: Gap; onOpen: LinesProps['onOpenGap'] }>): ReactNode {
  const { count, head } = gap;
  const isSmall = count !== undefined && count <= 2 * AT_ONCE;
  const lines = count === undefined ? 'more lines' : count === 1 ? '1 line' : `${count} lines`;
  return (
    <div className="bg-tide-wash text-soft flex min-h-7 flex-wrap items-center gap-1 px-1 py-0.5">
      {isSmall ? (
        <button className="quiet min-h-6" onClick={() => onOpen(gap, 'all')}>
          <Icon name="more" size={12} />
          Show {lines}
        </button>
      ) : (
        <>
          {gap.key > 0 && (
            <button
              className="quiet min-h-6"
              onClick={() => onOpen(gap, 'top')}
              aria-label={`Show ${AT_ONCE} more lines below line ${gap.from - 1}`}
            >
              <Icon name="down" size={12} />
              {count === undefined ? 'More lines' : AT_ONCE}
            </button>
          )}
          {count !== undefined && (
            <button
              className="quiet min-h-6"
              onClick={() => onOpen(gap, 'end')}
              aria-label={`Show ${AT_ONCE} more lines above line ${gap.from + count}`}
            >
              <Icon name="up" size={12} />
              {AT_ONCE}
            </button>
          )}
          {count === undefined && gap.key === 0 && (
            <button className="quiet min-h-6" onClick={() => onOpen(gap, 'top')}>
              Show {lines}
            </button>
          )}
        </>
      )}
      {head !== '' && <span className="text-meta min-w-0 truncate px-1">{head}</span>}
    </div>
  );
}

/** Lines that follow each other, and what lies between. */
function blocksOf(
  rows: readonly Row[],
): readonly (Readonly<{ gap: Gap }> | Readonly<{ lines: PatchLine[] }>)[] {
  const blocks: (Readonly<{ gap: Gap }> | Readonly<{ lines: PatchLine[] }>)[] = [];
  for (const row of rows) {
    const last = blocks.at(-1);
    if ('gap' in row) blocks.push(row);
    else if (last && 'lines' in last) last.lines.push(row.line);
    else blocks.push({ lines: [row.line] });
  }
  return blocks;
}

const sideOf = ({ sign }: PatchLine): Range['side'] => (sign === '-' ? 'before' : 'after');
const numberOf = (line: PatchLine): number => line[sideOf(line)]!;

function rangeOf(path: string, range: readonly PatchLine[]): Range {
  const numbers = range.map(numberOf);
  return {
    path,
    side: sideOf(range[0]!),
    from: Math.min(...numbers),
    to: Math.max(...numbers),
    quoted: range
      .map(({ text }) => keptOf(text))
      .join('\n')
      .slice(0, KEPT_OF_LINES)
      .toWellFormed(),
  };
}
