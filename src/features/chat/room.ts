import { unlessUnknown } from '../../kernel/errors.ts';
import { systemActor } from '../../kernel/principal.ts';
import { routesOf } from '../../operation/faces.ts';
import { hubCaller } from '../../store/calls.ts';
import { startConsumer } from '../../store/consumers.ts';
import type { Query } from '../../store/database.ts';
import type { Board } from '../board/board.ts';
import type { RoomDeclaration } from '../room.ts';
import { createChat, type Chat, type Mentions } from './chat.ts';
import { createNarrator } from './narration.ts';
import { chatOperations } from './operations.ts';
import { teamsOfRooms } from './rows.ts';
import { behindChat, teamChatServer } from './server.ts';

export const chatRoom: RoomDeclaration<{ board: Board; peers: Mentions }, Chat> = {
  key: 'chat',
  needs: ['board', 'peers'],
  open({ db, config, log, acting }, { board, peers }) {
    const chat = createChat({ postsPerMinute: config.limits.posts, mentions: peers });
    const behind = behindChat({ db, acting, chat });
    const narrator = createNarrator(chat, (q, taskId) => titleOf(board, q, taskId));
    return {
      service: chat,
      teams: teamsOfRooms,
      servers: [teamChatServer(behind)],
      routes: async () => routesOf(behind, chatOperations),
      chores: [
        { name: 'chat-tidy', everyMs: 10 * 60_000, run: () => db.write(systemActor, (tx) => chat.tidy(tx)) },
      ],
      start: (hub) => [startConsumer({ db, log, name: 'chat-narration', holder: hub, ...narrator })],
    };
  },
};

async function titleOf(board: Board, q: Query, taskId: string): Promise<string | undefined> {
  const found = await board.at(q, hubCaller).get({ taskId, commentLimit: 1 }).catch(unlessUnknown);
  return found?.task.title;
}
