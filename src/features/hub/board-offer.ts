// The board as resources, prompts and completions of the hub endpoint, cut to what each reader may see.
import { unlessUnknown } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/principal.ts';
import { callerOf } from '../../store/calls.ts';
import type { Database } from '../../store/database.ts';
import type { Board } from '../board/board.ts';
import { boardPrompts, shownBoard } from './board-prompts.ts';
import { createSnapshots } from './board-snapshot.ts';
import type { CompletionRequest } from '../../mcp/server.ts';
import type { Offer } from './offer.ts';

const BOARD_URI = 'holdfast://board';
const TASK_PREFIX = 'holdfast://tasks/';
const TASK_TEMPLATE = `${TASK_PREFIX}{id}`;
const JSON_TYPE = 'application/json';
/** Newest comments that travel with a task. */
const COMMENTS = 50;

/** The board as something to read: one snapshot, every task by its id, and the prompts that start from them. */
export function boardOffer(db: Database, board: Board): Offer {
  const takeSnapshot = createSnapshots(db, board);

  async function readTask(id: string, who: Principal) {
    const caller = callerOf({ who, via: 'tool' });
    return db
      .read((q) => board.at(q, caller).get({ taskId: id, commentLimit: COMMENTS }))
      .catch(unlessUnknown);
  }

  return {
    scope: 'board:read',
    resources: [
      {
        uri: BOARD_URI,
        name: 'board',
        title: 'The board now',
        description:
          'How many tasks are where, what is ready, in progress, in review, blocked and just done.',
        mimeType: JSON_TYPE,
      },
    ],
    templates: [
      {
        uriTemplate: TASK_TEMPLATE,
        name: 'task',
        title: 'One task',
        description: 'A task with its comments, relatives and checks.',
        mimeType: JSON_TYPE,
      },
    ],
    async read(uri, { who }) {
      if (uri === BOARD_URI) return [{ uri, mimeType: JSON_TYPE, text: shownBoard(await takeSnapshot(who)) }];
      const id = taskIdOf(uri);
      const task = id === undefined ? undefined : await readTask(id, who);
      return task && [{ uri, mimeType: JSON_TYPE, text: shownBoard(task) }];
    },
    async mayWatch(uri, who) {
      const id = taskIdOf(uri);
      return uri === BOARD_URI || (id !== undefined && (await readTask(id, who)) !== undefined);
    },
    updatedBy: ({ kind, subject }) =>
      kind.startsWith('task.') ? [BOARD_URI, `${TASK_PREFIX}${subject}`] : [],
    prompts: boardPrompts(takeSnapshot, readTask),
    complete: (request) => complete(db, board, request),
  };
}

function taskIdOf(uri: string): string | undefined {
  const id = uri.startsWith(TASK_PREFIX) ? uri.slice(TASK_PREFIX.length) : '';
  return /^[\w.:-]{1,200}$/.test(id) ? id : undefined;
}

/** Most tasks looked at to complete a word. */
const LOOKED_AT = 500;

/** Ids of open tasks, or the teams and agents that appear on the board. What was typed may be the start of an id or a word of its title. */
async function complete(
  db: Database,
  board: Board,
  { target, name, value, who }: CompletionRequest,
): Promise<readonly string[] | undefined> {
  const isTaskUri = target.kind === 'resource' && target.uriTemplate === TASK_TEMPLATE;
  if (!isTaskUri && target.kind === 'resource') return undefined;
  const caller = callerOf({ who, via: 'tool' });
  const { tasks } = await db.read((q) => board.at(q, caller).list({ limit: LOOKED_AT }));
  const wanted = value.toLowerCase();
  if (isTaskUri || name === 'task') {
    const open = tasks.filter(({ status }) => status !== 'done' && status !== 'cancelled');
    return open
      .filter(({ id, title }) => id.startsWith(wanted) || title.toLowerCase().includes(wanted))
      .map(({ id }) => id);
  }
  if (name !== 'team' && name !== 'to') return undefined;
  const seen = new Set(
    tasks.map(({ teamId, assigneeAgentId }) => (name === 'team' ? teamId : assigneeAgentId)),
  );
  return [...seen]
    .filter((each) => each !== null && each.toLowerCase().startsWith(wanted))
    .toSorted() as string[];
}
