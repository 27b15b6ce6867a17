import { useState, type ReactNode } from 'react';
import { Refusal } from '../api/call.ts';
import { Icon } from './icons.tsx';

/** Nothing here yet: what would be, and the one next step. */
type EmptyProps = Readonly<{
  title: string;
  children?: ReactNode;
  /** What a person can do about it here; the command does the same in a terminal. */
  action?: ReactNode;
  command?: string | undefined;
  isPage?: boolean;
}>;

/** `isPage`: it is all there is, so its title is that of the view. */
export function Empty({ title, children, action, command, isPage = false }: EmptyProps): ReactNode {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className="flex w-full max-w-[72ch] flex-col items-start gap-2 px-4 pt-4 pb-8">
      <Heading className={`font-semibold ${isPage ? 'text-heading' : 'text-title'}`}>{title}</Heading>
      {children && <div className="text-soft max-w-[62ch]">{children}</div>}
      {action && <div className="flex flex-wrap gap-2 py-1">{action}</div>}
      {command && action && <p className="text-meta text-faint">or in a terminal:</p>}
      {command && <Command text={command} />}
    </div>
  );
}

/** A line to copy. */
export function Command({ text, label = 'Copy' }: Readonly<{ text: string; label?: string }>): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard?.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1600);
  };
  // A button that says more than that leaves a phone no room for a line beside it.
  const [box, line] = label === 'Copy' ? ['', ''] : ['max-sm:flex-wrap', 'max-sm:basis-full'];
  return (
    <div className={`bg-sunken flex max-w-full items-start gap-2 rounded-one py-1 pr-1 pl-3 ${box}`}>
      <pre
        className={`min-w-0 flex-1 py-1 font-mono text-[12px] leading-[18px] break-words whitespace-pre-wrap ${line}`}
      >
        {text}
      </pre>
      <button className="quiet ml-auto shrink-0" onClick={copy} aria-label={`${label}: ${text.slice(0, 60)}`}>
        <Icon name={isCopied ? 'tick' : 'copy'} size={14} />
        <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
      </button>
    </div>
  );
}

/** What the hub would not do, in its own words, where it was tried. */
export function Refused({ error, onClose }: Readonly<{ error: unknown; onClose?: () => void }>): ReactNode {
  if (!error) return null;
  const { message, hint } =
    error instanceof Refusal ? error : { message: (error as Error).message, hint: '' };
  // What the hub says of tokens is for programs. A person was signed in, or can be.
  if (error instanceof Refusal && error.status === 401)
    return (
      <div role="alert" className="bg-amber-wash flex flex-col gap-1.5 rounded-one px-3 py-2">
        <p>
          <span className="font-medium">This browser is not signed in.</span>{' '}
          <span className="text-soft">This command signs it in; what you typed is kept until then.</span>
        </p>
        <Command text={signInHere()} />
      </div>
    );
  return (
    <div role="alert" className="bg-amber-wash flex items-start gap-2 rounded-one px-3 py-1.5">
      <p className="min-w-0 flex-1 break-words">
        <span className="font-medium">{message}</span> {hint && <span className="text-soft">{hint}</span>}
      </p>
      {onClose && (
        <button className="quiet -my-0.5" onClick={onClose} aria-label="Close">
          <Icon name="close" size={14} />
        </button>
      )}
    </div>
  );
}

/** While a list is on its way: its own shape, still. */
export function Skeleton({ rows = 6 }: Readonly<{ rows?: number }>): ReactNode {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-2 p-4">
      {Array.from({ length: rows }, (_, at) => (
        <span key={at} className="bg-sunken h-5 rounded-one" style={{ width: `${88 - ((at * 17) % 46)}%` }} />
      ))}
    </div>
  );
}

/** What signs this browser in and leads to where one wanted to go. */
function signInHere(): string {
  const { pathname, search } = location;
  const to = `${pathname}${search}`;
  return to === '/'
    ? 'holdfast open'
    : `holdfast open ${/[?&]/.test(to) ? `'${to.replaceAll("'", '%27')}'` : to}`;
}

/** A part of the hub that is not there, or asks for more than this page has shown. */
export function Unavailable({
  error,
  what,
  children,
}: Readonly<{ error: unknown; what: string; children: ReactNode }>): ReactNode {
  if (error instanceof Refusal && error.status === 401)
    return (
      <Empty title={`${what} need you to sign in`} command={signInHere()}>
        The hub shows them to its owner only. This command signs this browser in with a link that works once,
        and comes back here.
      </Empty>
    );
  if (error instanceof Refusal && error.status === 404) return children;
  return (
    <div className="p-4">
      <Refused error={error} />
    </div>
  );
}
