import type { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Cards } from '../board/cards.ts';
import { inPlainWords } from '../board/task-word.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { StatusMark } from '../parts/status.tsx';
import type { Run } from '../runs/queries.ts';
import { titleOf } from '../runs/title.ts';
import { placeOf } from '../why/place.ts';
import type { Everything } from './everything.ts';

export type Entry = Readonly<{
  id: string;
  group: string;
  text: string;
  mark: ReactNode;
  hint?: string;
  /** Further words it is found by. */
  also?: string;
  /** What it stands for, where it is shown again. */
  of?: string;
  run(): void;
}>;

export const icon = (name: IconName): ReactNode => <Icon name={name} size={15} className="text-soft" />;

type Finding = Readonly<{
  everything: Everything;
  /** What stands above already. */
  tasks: readonly Entry[];
  cards: Cards | undefined;
  wanted: string;
  navigate: ReturnType<typeof useNavigate>;
  openTask(id: string): void;
  /** Closes the box first. */
  leave(run: () => void): () => void;
}>;

export function runEntry(
  run: Run,
  { cards, navigate, leave }: Pick<Finding, 'cards' | 'navigate' | 'leave'>,
): Entry {
  return {
    id: run.task_id,
    group: 'Runs',
    text: brief(titleOf(run, cards)),
    mark: icon('runs'),
    hint: `${run.instance}, ${run.status}`,
    run: leave(() => void navigate({ to: '/runs/$runId', params: { runId: run.task_id } })),
  };
}

const brief = (text: string) => text.replace(/\s+/g, ' ').slice(0, 160).toWellFormed();

/** What every room found, each leading to its place. */
export function entriesFound({
  everything: { said, facts, files, paths, settings, posts, letters, calls, runs, sources, sessions },
  tasks,
  cards,
  wanted,
  navigate,
  openTask,
  leave,
}: Finding): readonly Entry[] {
  const line = Number(/:([1-9]\d*)$/.exec(wanted)?.[1] ?? 1);
  const named = new Set(tasks.map(({ id }) => id));
  return [
    // What the titles above have not shown already.
    ...said
      .filter(({ kind, taskId }) => kind !== 'task' || !named.has(taskId))
      .map(({ kind, taskId, title, text, status }) => ({
        id: `${kind} ${taskId}`,
        group: 'Written on tasks',
        text: brief(text),
        mark: <StatusMark status={status} />,
        hint: kind === 'task' ? status : `${kind}, ${title}`,
        run: leave(() => openTask(taskId)),
      })),
    ...facts.map((fact) => ({
      id: fact.id,
      group: 'Memory',
      text: brief(fact.title === '' ? fact.content : `${fact.title}: ${fact.content}`),
      mark: icon('memory'),
      run: leave(
        () =>
          void navigate({
            to: '/memory',
            search: fact.kind === 'procedure' ? { view: 'procedures' } : { q: wanted, at: fact.id },
          }),
      ),
    })),
    ...posts.map(({ roomId, seq, authorAgentId, body }) => ({
      id: `${roomId}#${seq}`,
      group: 'Rooms',
      text: brief(inPlainWords(body, cards)),
      mark: icon('rooms'),
      hint: `${authorAgentId} in ${roomId.replace(/^team:/, '')}`,
      run: leave(
        () => void navigate({ to: '/rooms/$roomId', params: { roomId }, search: { at: String(seq) } }),
      ),
    })),
    ...letters.map(({ id, from_agent, to_agent, text }) => ({
      id,
      group: 'Mail',
      text: brief(inPlainWords(text, cards)),
      mark: icon('mail'),
      hint: `${from_agent} to ${to_agent}`,
      run: leave(() => void navigate({ to: '/mail', search: { at: from_agent, q: wanted } })),
    })),
    ...runs.map((run) => runEntry(run, { cards, navigate, leave })),
    ...paths.map(({ folder, path, project }) => ({
      id: `file ${folder}/${path}`,
      group: 'Files',
      text: line === 1 ? path : `${path}:${line}`,
      mark: icon('file'),
      hint: project,
      run: leave(
        () => void navigate({ to: '/why', search: { q: placeOf({ file: `${folder}/${path}`, line }) } }),
      ),
    })),
    ...sessions.map(({ sessionId, turn, text, client }) => ({
      id: `session ${sessionId} ${turn}`,
      group: 'Sessions',
      text: brief(text),
      mark: icon('sessions'),
      hint: client,
      run: leave(
        () =>
          void navigate({
            to: '/sessions/$sessionId',
            params: { sessionId },
            search: { at: String(turn) },
          }),
      ),
    })),
    ...files.map(({ id, name, snippet }) => ({
      id: `brain ${id}`,
      group: 'Brain',
      text: brief(`${name}: ${snippet}`),
      mark: icon('brain'),
      run: leave(() => void navigate({ to: '/brain', search: { at: id } })),
    })),
    ...calls.map(({ callId, toolName, agentId, argsSummary }) => ({
      id: callId,
      group: 'Calls',
      text: brief(`${toolName} ${argsSummary ?? ''}`),
      mark: icon('audit'),
      hint: agentId ?? '',
      run: leave(() => void navigate({ to: '/audit', search: { q: `call:${callId}` } })),
    })),
    ...sources.map(({ name, state }) => ({
      id: `source ${name}`,
      group: 'Sources',
      text: name,
      mark: icon('sources'),
      hint: state,
      run: leave(() => void navigate({ to: '/sources/$name', params: { name } })),
    })),
    ...settings.map(({ key, value }) => ({
      id: `setting ${key}`,
      group: 'Settings',
      text: key,
      mark: icon('settings'),
      hint: value ?? 'default',
      run: leave(() => void navigate({ to: '/settings', search: { view: 'hub', q: key } })),
    })),
  ];
}
