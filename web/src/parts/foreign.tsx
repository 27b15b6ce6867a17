import { Fragment, useState, type ReactNode } from 'react';
import { BLANK, UNSEEN } from './unseen.ts';

/**
 * Foreign text on one line or many. Characters that nobody sees, or that turn the direction of others, are shown as marks:
 * what a person decides on must be what is there.
 */
export function Foreign({ text }: Readonly<{ text: string }>): ReactNode {
  const parts = text.split(UNSEEN);
  if (parts.length === 1) return text;
  // What splits stands between what it parts.
  return parts.map((part, at) =>
    at % 2 === 0 ? <Fragment key={at}>{part}</Fragment> : <Mark key={at} char={part} />,
  );
}

/** A blank of another kind is marked as a blank, so that a sentence with many of them can still be read. */
function Mark({ char }: Readonly<{ char: string }>): ReactNode {
  const code = `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
  const isBlank = BLANK.test(char);
  return (
    <span
      className="bg-amber-wash text-amber mx-px rounded-sm px-0.5 font-mono text-[10px]"
      title={isBlank ? `A blank that is not the usual one: ${code}` : 'A character that cannot be seen'}
    >
      {isBlank ? '\u2423' : code}
    </span>
  );
}

/** What somebody else wrote: behind a rule, with a name. */
export function Quoted({ by, children }: Readonly<{ by?: ReactNode; children: ReactNode }>): ReactNode {
  return (
    <div className="border-edge min-w-0 border-l-2 pl-3">
      {by && <div className="text-meta text-soft mb-0.5 flex flex-wrap items-center gap-2">{by}</div>}
      {children}
    </div>
  );
}

const LONG = 6000;

/** Huge texts are cut until somebody asks for the rest. */
export function Cut({
  text,
  children,
}: Readonly<{ text: string; children: (shown: string) => ReactNode }>): ReactNode {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= LONG || isWhole) return children(text);
  return (
    <>
      {children(text.slice(0, LONG).toWellFormed())}
      <button className="quiet mt-1" onClick={() => setWhole(true)}>
        Show the other {(text.length - LONG).toLocaleString()} characters
      </button>
    </>
  );
}
