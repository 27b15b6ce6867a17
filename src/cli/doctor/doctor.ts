import { Command } from 'commander';
import type { Style } from '../terminal/color.ts';
import { confirm } from '../terminal/confirm.ts';
import { examine } from './examine.ts';
import { QuietExit } from '../exit.ts';
import type { Finding } from './finding.ts';
import { configFrom, type Options, withDatabase } from '../options.ts';
import { renderTable } from '../terminal/table.ts';
import type { World } from '../world.ts';

export function doctorCommand(world: World): Command {
  return withDatabase(
    new Command('doctor').description('look at everything a hub needs, and say how to mend what is wrong'),
  )
    .option(
      '--fix',
      'mend what can be mended: modes, dead entries and hooks of clients, what a killed hub left',
    )
    .action((options: Options) => doctor(world, options));
}

async function doctor(world: World, options: Options): Promise<void> {
  const config = await configFrom(world, { database: options['database'] });
  const look = () => examine(config, { env: world.env, cwd: world.cwd, platform: process.platform });
  const first = await look();
  const fixed = options['fix'] === true ? await mend(world, first, options) : [];
  const findings = fixed.length > 0 ? await look() : first;
  if (options['json'])
    world.print(
      JSON.stringify({
        findings: findings.map(({ check, state, found, mend }) => ({ check, state, found, mend })),
        ...(options['fix'] === true && { fixed }),
      }),
    );
  else world.print(render(findings, world.columns));
  if (findings.some(({ state }) => state === 'fail')) throw new QuietExit(1);
}

/** Shown before it is done; a person at a terminal is asked. Answers what was done. */
async function mend(world: World, findings: readonly Finding[], options: Options): Promise<string[]> {
  const fixes = findings.flatMap(({ fix }) => fix ?? []);
  const isQuiet = options['json'] === true;
  if (!isQuiet) for (const { shown } of fixes) world.print(shown);
  if (fixes.length === 0 && !isQuiet) world.print('Nothing here can be mended by itself.\n');
  const isWatched = world.columns !== undefined && !isQuiet && fixes.length > 0;
  if (isWatched && !(await confirm(world, 'Do this?'))) return [];
  return fixes.map(({ shown, run }) => {
    run();
    return shown;
  });
}

const STATES = { ok: 'green', warn: 'yellow', fail: 'red' } as const satisfies Record<
  Finding['state'],
  Style
>;

function render(findings: readonly Finding[], terminal: number | undefined): string {
  const table = renderTable<Finding>(
    [
      { title: '', cell: ({ state }) => state, style: ({ state }) => STATES[state] },
      { title: 'CHECK', cell: ({ check }) => check },
      { title: 'FOUND', cell: ({ found }) => found, flexible: true },
    ],
    findings,
    terminal,
  );
  const advice = findings
    .filter(({ mend }) => mend !== undefined)
    .map(({ check, found, mend }) => `${check}: ${found}\n  ${mend}`);
  return advice.length === 0 ? table : `${table}\n\n${advice.join('\n')}`;
}
