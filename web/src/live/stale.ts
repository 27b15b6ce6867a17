import type { HubEvent } from './stream.ts';

/** Which queries an event makes stale. Events carry ids only, so what is fetched again is exactly what changed. */
export type Stale = Readonly<{ task?: string; keys: readonly (readonly unknown[])[] }>;

const SHELVING: ReadonlySet<string> = new Set([
  'task.archived',
  'task.unarchived',
  'task.reopened',
  'task.undone',
]);

const BY_ROOM: Readonly<Record<string, (event: HubEvent) => Stale>> = {
  task: ({ kind, subject }) => ({
    task: subject,
    keys: [
      ['task', subject],
      ['reservations', subject],
      ['runs', 'trials', subject],
      ...(SHELVING.has(kind) ? [['archived']] : []),
    ],
  }),
  view: () => ({ keys: [['views']] }),
  files: () => ({ keys: [['reservations']] }),
  approval: ({ subject }) => ({ keys: [['approvals'], ['approval', subject.slice(-8)], ['audit']] }),
  grant: () => ({ keys: [['grants']] }),
  tool: ({ kind }) => ({
    keys: [['audit'], ['grants'], ['tools'], ...(kind === 'tool.refused' ? [['refused']] : [])],
  }),
  note: () => ({ keys: [['audit']] }),
  chat: ({ subject }) => ({ keys: [['rooms'], ['room', subject]] }),
  // The documented name of what a bound agent posts.
  team_chat_post: ({ subject }) => ({ keys: [['rooms'], ['room', subject]] }),
  peer: () => ({ keys: [['mail']] }),
  memory: () => ({ keys: [['memory']] }),
  procedure: () => ({ keys: [['memory']] }),
  lesson: () => ({ keys: [['memory']] }),
  brain: () => ({ keys: [['brain']] }),
  project: () => ({ keys: [['projects']] }),
  seat: () => ({ keys: [['seats']] }),
  token: () => ({ keys: [['tokens']] }),
  source: ({ subject }) => ({ keys: [['sources'], ['source', subject]] }),
  // What a run says comes by a stream of its own; only its state is fetched again.
  run: ({ kind, subject, data }) => ({
    keys: kind === 'run.events' && data?.['kind'] === 'frame' ? [] : [['runs'], ['run', subject]],
  }),
  landing: ({ data }) => ({
    keys: [['landings'], ['land-queues'], ['review', data?.['taskId']]],
  }),
  review: ({ subject }) => ({ keys: [['review', subject]] }),
  check: () => ({ keys: [['runs', 'trials']] }),
  collision: () => ({ keys: [['collisions']] }),
  schedule: () => ({ keys: [['schedules']] }),
  being: ({ subject }) => ({ keys: [['beings'], ['being', subject]] }),
  oauth: ({ subject }) => ({ keys: [['being', subject]] }),
  // A browser that was signed in or out elsewhere asks anew what it may see.
  person: () => ({ keys: [['hub']] }),
  policy: () => ({ keys: [['policy']] }),
};

export function staleBy(event: HubEvent): Stale {
  const [room = ''] = event.kind.split('.', 1);
  return BY_ROOM[room]?.(event) ?? { keys: [] };
}
