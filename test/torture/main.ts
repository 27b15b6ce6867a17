import { fileURLToPath } from 'node:url';
import { startPostgres } from '../fixtures/postgres-server.ts';
import { describeReport, torture, type TortureReport } from './torture.ts';

/** `npm run torture [-- tasks]`: the long form of what `npm test` does briefly, on both engines. */
const dist = fileURLToPath(new URL('../../dist/bin/', import.meta.url));
const tasks = Number(process.argv[2] ?? 2_000);
const plan = {
  tasks,
  workers: 8,
  killEveryMs: 350,
  maxMs: 60_000 + tasks * 120,
  bins: { holdfast: `${dist}holdfast.js`, tasks: `${dist}clawboo-mcp-tasks.js` },
};

let violations = 0;
for (const areNameless of [false, true]) {
  violations += report(`SQLite${areNameless ? ', nameless' : ''}`, await torture({ ...plan, areNameless, database: 'sqlite' }));
}
const server = await startPostgres();
for (const areNameless of [false, true]) {
  const database = { url: server.url, schema: areNameless ? 'torture_nameless' : 'torture' };
  violations += report(`PostgreSQL${areNameless ? ', nameless' : ''}`, await torture({ ...plan, areNameless, database }));
}
await server.stop();
process.exit(violations === 0 ? 0 : 1);

function report(engine: string, outcome: TortureReport): number {
  process.stdout.write(describeReport(`${engine}, ${tasks} tasks`, outcome));
  for (const violation of outcome.violations.slice(0, 20)) process.stdout.write(`  ${violation}\n`);
  return outcome.violations.length;
}
