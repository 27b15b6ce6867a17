import { useState, type ReactNode } from 'react';

/** An id as people say it: its end, small, and copied whole by a click. */
export function CopyId({ id }: Readonly<{ id: string }>): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard?.writeText(id);
    setCopied(true);
    setTimeout(() => setCopied(false), 1600);
  };
  return (
    <button
      className="text-faint hover:text-ink rounded-one px-1 font-mono text-[11px]"
      title={`Copy ${id}`}
      onClick={copy}
    >
      {id.slice(-8)}
      <span className="sr-only" aria-live="polite">
        {isCopied ? 'Copied' : ''}
      </span>
    </button>
  );
}
