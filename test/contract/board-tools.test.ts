import { directHost, freshBoard } from '../fixtures/board-host.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';
import { boardToolsContract } from './board-tools.ts';

eachEngine('the documented task tools', (engine) => {
  boardToolsContract('without a transport', async () => {
    const db = await freshDatabase(engine);
    return directHost(db, freshBoard(db));
  });
});
