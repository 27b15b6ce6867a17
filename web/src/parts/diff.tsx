import { useMemo, type ReactNode } from 'react';
import { Foreign } from './foreign.tsx';

type Line = Readonly<{ sign: ' ' | '+' | '-'; text: string }>;

/** What goes and what comes, line by line. Signs say it, colour only helps. */
export function Diff({
  before,
  after,
  label,
}: Readonly<{ before: string; after: string; label: string }>): ReactNode {
  const lines = useMemo(() => compare(linesOf(before), linesOf(after)), [before, after]);
  return (
    <pre
      tabIndex={0}
      aria-label={label}
      className="bg-sunken rounded-one py-1.5 whitespace-pre-wrap font-mono text-[12px] leading-[18px]"
    >
      {lines.map(({ sign, text }, at) => (
        <div
          key={at}
          className={`flex px-2.5 ${sign === '+' ? 'bg-kelp-wash' : sign === '-' ? 'bg-amber-wash' : ''}`}
        >
          <span className="text-faint mr-2 shrink-0 select-none">{sign}</span>
          {/* Wrapped: nothing that is decided on may lie beyond the edge. */}
          <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
            <Foreign text={text} />
          </span>
        </div>
      ))}
    </pre>
  );
}

/** What is not there has no line. */
function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}

const MOST = 1500;

/** The longest common lines stay. Beyond a size at which that would take long, all goes and all comes. */
function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  if (before.length * after.length > MOST * MOST) return [...before.map(gone), ...after.map(come)];
  const common = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1)
      common[i]![j] =
        before[i] === after[j]
          ? common[i + 1]![j + 1]! + 1
          : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const isSame = i < before.length && j < after.length && before[i] === after[j];
    const isGone =
      !isSame && (j >= after.length || (i < before.length && common[i + 1]![j]! >= common[i]![j + 1]!));
    lines.push(isSame ? { sign: ' ', text: before[i]! } : isGone ? gone(before[i]!) : come(after[j]!));
    if (isSame || isGone) i += 1;
    if (!isGone) j += 1;
  }
  return lines;
}

const gone = (text: string): Line => ({ sign: '-', text });
const come = (text: string): Line => ({ sign: '+', text });
