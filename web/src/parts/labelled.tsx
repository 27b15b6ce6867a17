import type { ReactNode } from 'react';

/** A field with what it is before it, in a form of several. */
export function Labelled({ label, children }: Readonly<{ label: string; children: ReactNode }>): ReactNode {
  return (
    <label className="flex flex-wrap items-center gap-2">
      <span className="text-soft w-16 sm:w-20">{label}</span>
      {children}
    </label>
  );
}
