import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import type { KeyedProject } from '../../../src/features/projects/project.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useCards, type Cards } from '../board/cards.ts';
import { useHub } from '../frame/hub.ts';
import { Agent } from '../parts/agent.tsx';
import { Empty, Refused } from '../parts/empty.tsx';
import { Icon } from '../parts/icons.tsx';
import { Table, View, ViewUnready } from '../parts/page.tsx';
import { Project } from '../parts/project.tsx';
import { STATUS_WORDS, STATUSES, StatusMark } from '../parts/status.tsx';
import { Moment } from '../parts/time.tsx';
import { AddProject } from './add-project.tsx';
import { useAgents, useProjects, useTeams } from './queries.ts';
import { onEscape } from '../parts/leave-key.ts';

const COLUMNS = [
  ['Project', 'minmax(12rem,2fr)'],
  ['Tasks', 'minmax(9rem,1fr)'],
  ['Agents here', 'minmax(8rem,1fr)'],
  ['Known', '6rem'],
  ['', '5rem'],
] as const;

export function ProjectsPage(): ReactNode {
  const { data, error } = useProjects();
  const teams = useTeams();
  const { data: hub } = useHub();
  const [isAdding, setAdding] = useState(false);
  if (!data) return <ViewUnready error={error} />;
  const known = new Map(data.projects.map((project) => [project.teamId, project]));
  const create = hub?.isSignedIn === true && !isAdding && (
    <button className="button button-main" onClick={() => setAdding(true)}>
      <Icon name="plus" size={12} />
      New project
    </button>
  );
  return (
    <View
      title="Projects"
      about="A repository is a project: worktrees and clones of it are the same one. A name may change, the id stays."
      aside={teams.length > 0 && create}
    >
      {isAdding && <AddProject onClose={() => setAdding(false)} />}
      {teams.length === 0 ? (
        <Empty title="No project yet" action={create} command="holdfast connect claude-code">
          A project is made when the first agent connects from its folder, or here.
        </Empty>
      ) : (
        <Table label="Projects" columns={COLUMNS}>
          {teams.map(({ teamId }) => (
            <Row key={teamId} teamId={teamId} project={known.get(teamId)} />
          ))}
        </Table>
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
    <li className="cells">
      <div>
        {name === undefined ? (
          <Link
            to="/board"
            search={{ project: teamId }}
            className="inline-flex max-w-full font-medium underline-offset-2 hover:underline"
          >
            <Project id={teamId} />
          </Link>
        ) : (
          <form className="flex gap-2" onSubmit={(event) => (event.preventDefault(), rename.mutate(name))}>
            <input
              autoFocus
              className="field"
              aria-label="Name"
              value={name}
              onChange={({ target }) => setName(target.value)}
              onKeyDown={onEscape(() => setName(undefined))}
            />
            <button className="button">Rename</button>
          </form>
        )}
        {project?.keys && (
          <p
            className="text-meta text-faint truncate font-mono"
            title={project.keys.map(({ kind, value }) => `${kind} ${value}`).join('\n')}
          >
            {placeOf(project.keys)}
          </p>
        )}
        <Refused error={rename.error} />
      </div>
      <ul className="text-meta text-soft flex flex-wrap gap-x-3" aria-label="Tasks">
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
      <span className="flex min-w-0 flex-wrap gap-x-3">
        {agents.map(({ name, life }) => (
          <Agent key={name} name={name} life={life} />
        ))}
      </span>
      <span>{project && <Moment at={project.createdAt} />}</span>
      {project && (
        <button className="quiet justify-self-start" onClick={() => setName(project.name)}>
          Rename
        </button>
      )}
    </li>
  );
}

/** Where it lies; by what else it is known is said on hover. */
function placeOf(keys: NonNullable<KeyedProject['keys']>): string {
  const { value } = keys.find(({ kind }) => kind === 'path' || kind === 'git') ?? keys[0] ?? { value: '' };
  return value.replace(/\/\.git$/, '');
}

function countBy(cards: Cards | undefined, teamId: string): ReadonlyMap<Status, number> {
  const own = [...(cards?.values() ?? [])].filter((card) => card.teamId === teamId);
  return new Map(
    [...Map.groupBy(own, ({ status }) => status)].map(([status, found]) => [status, found.length]),
  );
}
