import type { ReactNode } from 'react';

/** A part of the view: a title on a hairline, and a list. */
export function Block({
  title,
  aside,
  children,
}: Readonly<{ title: ReactNode; aside?: ReactNode; children: ReactNode }>): ReactNode {
  return (
    <section className="mb-6">
      <div className="border-line mb-1 flex items-baseline gap-2 border-b pb-1">
        <h2 className="section-title">{title}</h2>
        {aside && <span className="text-meta text-faint ml-auto">{aside}</span>}
      </div>
      {children}
    </section>
  );
}
