// One of several hubs, killed at random: plans and starts schedules on a clock that runs faster than any other.
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/store/open.ts';
import { schedulesOn } from '../fixtures/schedule-place.ts';
import { fastClock, LEASE_MS } from './schedules.ts';

const [location, schema, base, holder] = process.argv.slice(2);
const db = await openDatabase(location!, { schema: schema!, clock: fastClock(Number(base)) });
const { plan, work } = schedulesOn(db);
work(holder!, LEASE_MS);
process.stdout.write('ready\n');
for (;;) {
  await plan().catch(() => undefined);
  await sleep(20);
}
