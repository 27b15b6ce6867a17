import type { CSSProperties, ReactNode } from 'react';
import { useProjects } from '../agents/queries.ts';
import { hueOf } from './face.tsx';
import { Foreign } from './foreign.tsx';

/** A project, by its id: a dot in its own colour, and what it is called by now. */
export function Project({ id }: Readonly<{ id: string }>): ReactNode {
  const { data } = useProjects();
  const name = data?.projects.find(({ teamId }) => teamId === id)?.name ?? id;
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5" title={`Project ${name}`}>
      <span className="project-dot" style={{ '--hue': hueOf(id) } as CSSProperties} aria-hidden="true" />
      <span className="truncate">
        <Foreign text={name} />
      </span>
    </span>
  );
}
