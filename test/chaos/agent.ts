// One agent as a process of its own, so that it can be killed: `node agent.ts '{"name": …}'`. What it tells is a line each; on a pipe
// a line has arrived when it was written.
import { type Agent, work } from './work.ts';

const setup = JSON.parse(process.argv[2]!) as Pick<Agent, 'name' | 'addresses' | 'token'>;
let isOver = false;
process.on('SIGTERM', () => (isOver = true));
await work({
  ...setup,
  isOver: () => isOver,
  tell: (what) => void process.stdout.write(`${JSON.stringify(what)}\n`),
});
