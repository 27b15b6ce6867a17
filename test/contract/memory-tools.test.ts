import { eachEngine, freshDatabase } from '../fixtures/databases.ts';
import { httpHost, streamHost } from '../fixtures/memory-host.ts';
import { memoryExtendedContract } from './memory-extended.ts';
import { memoryContract } from './memory-tools.ts';

eachEngine('clawboo-memory', (engine) => {
  for (const era of ['legacy', 'modern'] as const) {
    const host = async () => httpHost(await freshDatabase(engine), era);
    memoryContract(`HTTP ${era}`, host);
    memoryExtendedContract(`HTTP ${era}`, host);
  }
});

for (const era of ['legacy', 'modern'] as const) {
  const host = async () => streamHost(await freshDatabase('sqlite'), era);
  memoryContract(`stream ${era}`, host);
  memoryExtendedContract(`stream ${era}`, host);
}
