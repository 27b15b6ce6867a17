import type { CSSProperties, ReactNode } from 'react';
import { hueOf } from './face.tsx';
import { Foreign } from './foreign.tsx';

/** A project: a dot in its own colour, and its name. */
export function Project({ name }: Readonly<{ name: string }>): ReactNode {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5" title={`Project ${name}`}>
      <span className="project-dot" style={{ '--hue': hueOf(name) } as CSSProperties} aria-hidden="true" />
      <span className="truncate">
        <Foreign text={name} />
      </span>
    </span>
  );
}
