import { Command } from 'commander';
import { runningHub } from '../../kernel/discovery.ts';
import { HubError } from '../../kernel/errors.ts';
import { configFrom, type Options, withDatabase } from '../options.ts';
import { connect } from '../client.ts';
import { paint } from '../terminal/color.ts';
import { exitCodeFor, QuietExit } from '../exit.ts';
import { nameOf } from './up.ts';
import type { World } from '../world.ts';

export function statusCommand(world: World): Command {
  return withDatabase(
    new Command('status').description('is a hub running on this database, and how is it?'),
  ).action((options: Options) => status(world, options));
}

async function status(world: World, options: Options): Promise<void> {
  const config = await configFrom(world, options);
  const announced = await runningHub(config);
  if (!announced) {
    throw new HubError('not_found', `No hub is running on ${nameOf(config)}.`, {
      hint: 'Start one with `holdfast up`.',
    });
  }
  await using client = await connect(world, config);
  const health = await client.ask('GET /api/health');
  const { approvals } = await client.ask('GET /api/tools/approvals');
  if (options['json']) {
    const { address, pid } = announced;
    world.print(
      JSON.stringify({ ...health, address, pid, database: nameOf(config), approvals: approvals.length }),
    );
    return requireWell(health);
  }
  world.print(
    [
      `Holdfast ${health.version} is up at ${announced.address}`,
      `  database  ${nameOf(config)} (${health.engine}, schema ${health.schema})`,
      `  process   ${announced.pid}, up ${duration(health.uptimeMs)}`,
      `  events    ${health.eventHead}`,
      ...health.problems.map((problem) => `  problem   ${paint('red', problem)}`),
      `  waiting   ${approvals.length === 0 ? 'nothing for you' : `${approvals.length} for your decision: holdfast approvals`}`,
    ].join('\n'),
  );
  requireWell(health);
}

/** A script that asks how the hub is learns it from the exit code. */
function requireWell({ ok }: Readonly<{ ok: boolean }>): void {
  if (!ok) throw new QuietExit(exitCodeFor('unavailable'));
}

function duration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.floor(ms / 1000)} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}
