import { Fragment, useState, type ReactNode } from 'react';

/**
 * Foreign text on one line or many. Characters that nobody sees, or that turn the direction of others, are shown as marks:
 * what a person decides on must be what is there.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]/u;

export function Foreign({ text }: Readonly<{ text: string }>): ReactNode {
  if (!UNSEEN.test(text)) return text;
  return Array.from(text).map((char, at) =>
    UNSEEN.test(char) ? (
      <span
        key={at}
        className="bg-amber-wash text-amber mx-px rounded-sm px-0.5 font-mono text-[10px]"
        title="A character that cannot be seen"
      >
        {`U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`}
      </span>
    ) : (
      <Fragment key={at}>{char}</Fragment>
    ),
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
