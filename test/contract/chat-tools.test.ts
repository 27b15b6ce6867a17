import { createChat } from '../../src/features/chat/chat.ts';
import { behindChat, teamChatServer } from '../../src/features/chat/server.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';
import { directHostOf } from '../fixtures/direct-host.ts';
import { chatToolsContract } from './chat-tools.ts';
import { createActing } from '../../src/store/calls.ts';

eachEngine('the documented chat tools', (engine) => {
  chatToolsContract('without a transport', async () => {
    const db = await freshDatabase(engine);
    return directHostOf(teamChatServer(behindChat({ db, acting: createActing(db), chat: createChat() })));
  });
});
