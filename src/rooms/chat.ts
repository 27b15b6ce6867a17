import type { Board } from '../features/board/board.ts';
import { createChat, type Chat, type Mentions } from '../features/chat/chat.ts';
import { createNarrator } from '../features/chat/narration.ts';
import { teamChatServer } from '../features/chat/tools.ts';
import { HubError } from '../kernel/errors.ts';
import { systemActor, systemPrincipal } from '../kernel/principal.ts';
import { startConsumer } from '../store/consumers.ts';
import type { Query } from '../store/database.ts';
import type { Ground, Room } from './room.ts';

type Neighbours = Readonly<{ board: Board; mentions?: Mentions }>;

export function openChat({ db, config, log }: Ground, { board, mentions }: Neighbours): Room & Readonly<{ chat: Chat }> {
  const chat = createChat({ postsPerMinute: config.limits.posts, ...(mentions && { mentions }) });
  const narrator = createNarrator(chat, (q, taskId) => titleOf(board, q, taskId));
  return {
    chat,
    servers: [teamChatServer(db, chat)],
    routes: async () => (await import('../features/chat/routes.ts')).chatRoutes(db, chat),
    chores: [{ name: 'chat-tidy', everyMs: 10 * 60_000, run: () => db.write(systemActor, (tx) => chat.tidy(tx)) }],
    start: (hub) => [startConsumer({ db, log, name: 'chat-narration', holder: hub, ...narrator })],
  };
}

const HUB_CALLER = { who: systemPrincipal, agent: undefined, asserted: false, seat: null, fence: undefined };

async function titleOf(board: Board, q: Query, taskId: string): Promise<string | undefined> {
  try {
    return (await board.get(q, HUB_CALLER, taskId, 1)).task.title;
  } catch (error) {
    if (error instanceof HubError && error.code === 'not_found') return undefined;
    throw error;
  }
}
