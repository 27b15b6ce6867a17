import { memo, useState, type ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { segmentsOf, type Paint } from './paint.ts';
import type { PatchLine } from './patch.ts';

const LONGEST = 2_000;
const NONE: Paint = { tokens: [], words: [] };

/** The words of one line, in the colours of what they are; what changed in it stands on a stronger ground. */
export const Code = memo(function Code({
  line: { text, sign, isUnended = false },
  paint = NONE,
}: Readonly<{ line: PatchLine; paint?: Paint | undefined }>): ReactNode {
  const [isWhole, setWhole] = useState(false);
  // How a line ends is said apart from what stands in it.
  const body = text.endsWith('\r') ? text.slice(0, -1) : text;
  const isLong = body.length > LONGEST && !isWhole;
  const shown = isLong ? body.slice(0, LONGEST).toWellFormed() : body;
  const word = sign === '-' ? 'bg-gone-word' : 'bg-come-word';
  return (
    <>
      {segmentsOf(shown, paint).map(({ text: part, kind, isWord }, at) =>
        kind === undefined && !isWord ? (
          <Foreign key={at} text={part} />
        ) : (
          <span
            key={at}
            className={`${kind === undefined ? '' : `syntax-${kind}`} ${isWord ? `rounded-[3px] ${word}` : ''}`}
          >
            <Foreign text={part} />
          </span>
        ),
      )}
      {isLong && (
        <button className="quiet min-h-6 font-sans" onClick={() => setWhole(true)}>
          Show the other {(body.length - LONGEST).toLocaleString()} characters of this line
        </button>
      )}
      {body !== text && (
        <span className="text-faint ml-1 text-[10px] select-none" title="The line ends with CR and LF">
          CR
        </span>
      )}
      {isUnended && (
        <span className="text-faint ml-2 font-sans text-[11px] select-none">
          no line end at the end of the file
        </span>
      )}
    </>
  );
});

export const GROUNDS = { '+': 'bg-kelp-wash', '-': 'bg-amber-wash', ' ': '' } as const;

type NumberProps = Readonly<{
  line: PatchLine;
  isStop: boolean;
  isChosen: boolean;
  onChoose(isMore: boolean): void;
}>;

/** The number of a line is the way to say something about it; with Shift the lines in between come along. */
export function LineNumber({ line, isStop, isChosen, onChoose }: NumberProps): ReactNode {
  const number = line.sign === '-' ? line.before! : line.after!;
  return (
    <button
      data-line=""
      tabIndex={isStop ? 0 : -1}
      onClick={(event) => onChoose(event.shiftKey)}
      aria-label={`Comment on ${line.sign === '-' ? 'removed ' : ''}line ${number}`}
      aria-pressed={isChosen}
      className={`group/number relative flex h-full w-full items-start justify-end pr-2 select-none ${isChosen ? 'bg-tide-wash text-tide' : 'text-faint hover:text-tide'}`}
    >
      <span className="bg-tide text-ground absolute top-px left-0.5 hidden rounded-[4px] p-px group-hover/number:block group-focus-visible/number:block">
        <Icon name="plus" size={11} />
      </span>
      {number}
    </button>
  );
}
