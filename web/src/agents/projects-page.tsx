import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import type { KeyedProject } from '../../../src/features/projects/project.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useCards, type Cards } from '../board/cards.ts';
import { Agent } from '../parts/agent.tsx';
import { Empty, Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { View } from '../parts/page.tsx';
import { STATUS_WORDS, STATUSES, StatusMark } from '../parts/status.tsx';
import { Moment } from '../parts/time.tsx';
import { Unready } from '../parts/unready.tsx';
import { useAgents, useProjects, useTeams } from './queries.ts';

export function ProjectsPage(): ReactNode {
  const { data, error } = useProjects();
  const teams = useTeams();
  if (!data) return <Unready error={error} />;
  const known = new Map(data.projects.map((project) => [project.teamId, project]));
  return (
    <View
      title="Projects"
      about="A repository is a project: worktrees and clones of it are the same one. A name may change, the id stays."
    >
      {teams.length === 0 ? (
        <Empty title="No project yet" command="holdfast connect claude-code">
          A project is made when the first agent connects from its folder.
        </Empty>
      ) : (
        <ul>
          {teams.map(({ teamId }) => (
            <Row key={teamId} teamId={teamId} project={known.get(teamId)} />
          ))}
        </ul>
      )}
    </View>
  );
}

function Row({
  teamId,
  project,
}: Readonly<{ teamId: string; project: KeyedProject | undefined }>): ReactNode {
  const { data: cards } = useCards();
  const [name, setName] = useState<string | undefined>();
  const rename = useMutation({
    mutationFn: (text: string) => ask('PATCH /api/projects/:teamId', { teamId, name: text }),
    onSuccess: () => (setName(undefined), queryClient.invalidateQueries({ queryKey: ['projects'] })),
  });
  const agents = useAgents(teamId).filter(({ seats }) => seats.length > 0);
  const counts = useMemo(() => countBy(cards, teamId), [cards, teamId]);
  return (
    <li className="border-line flex flex-wrap items-center gap-x-4 gap-y-1 border-b px-4 py-2">
      <div className="min-w-0 flex-1 basis-60">
        {name === undefined ? (
          <Link
            to="/board"
            search={{ project: teamId }}
            className="font-medium underline-offset-2 hover:underline"
          >
            <Foreign text={project?.name ?? teamId} />
          </Link>
        ) : (
          <form className="flex gap-2" onSubmit={(event) => (event.preventDefault(), rename.mutate(name))}>
            <input
              autoFocus
              className="field"
              aria-label="Name"
              value={name}
              onChange={({ target }) => setName(target.value)}
              onKeyDown={({ key }) => key === 'Escape' && setName(undefined)}
            />
            <button className="button">Rename</button>
          </form>
        )}
        {project?.keys && (
          <p className="text-meta text-faint truncate font-mono">
            {project.keys.map(({ kind, value }) => `${kind} ${value}`).join('  ')}
          </p>
        )}
        <Refused error={rename.error} />
      </div>
      <span className="flex flex-wrap gap-x-3">
        {agents.map(({ name, life }) => (
          <Agent key={name} name={name} life={life} />
        ))}
      </span>
      <ul className="text-meta text-soft flex gap-3" aria-label="Tasks">
        {STATUSES.filter((status) => counts.has(status)).map((status) => (
          <li key={status}>
            <Link
              to="/board"
              search={{ project: teamId, q: `status:${status}` }}
              className="flex items-center gap-1 hover:underline"
              title={STATUS_WORDS[status]}
            >
              <StatusMark status={status} size={12} />
              {counts.get(status)}
            </Link>
          </li>
        ))}
      </ul>
      {project && (
        <>
          <Moment at={project.createdAt} />
          <button className="quiet" onClick={() => setName(project.name)}>
            Rename
          </button>
        </>
      )}
    </li>
  );
}

function countBy(cards: Cards | undefined, teamId: string): ReadonlyMap<Status, number> {
  const own = [...(cards?.values() ?? [])].filter((card) => card.teamId === teamId);
  return new Map(
    [...Map.groupBy(own, ({ status }) => status)].map(([status, found]) => [status, found.length]),
  );
}
