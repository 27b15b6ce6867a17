import { directHost, freshBoard } from '../fixtures/board-host.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';
import { boardExtendedContract } from './board-extended.ts';

eachEngine('the extended task tools', (engine) => {
  boardExtendedContract('without a transport', async () => {
    const db = await freshDatabase(engine);
    return directHost(db, freshBoard(db));
  });
});
