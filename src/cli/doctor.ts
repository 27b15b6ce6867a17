import { Command } from 'commander';
import type { Style } from './color.ts';
import { examine } from './examine.ts';
import { QuietExit } from './exit.ts';
import type { Finding } from './finding.ts';
import { configFrom, type Options, withDatabase } from './options.ts';
import { renderTable } from './table.ts';
import type { World } from './world.ts';

export function doctorCommand(world: World): Command {
  return withDatabase(
    new Command('doctor').description('look at everything a hub needs, and say how to mend what is wrong'),
  ).action(async (options: Options) => {
    const findings = await examine(await configFrom(world, options), world.env['PATH']);
    world.print(options['json'] ? JSON.stringify({ findings }) : render(findings, world.columns));
    if (findings.some(({ state }) => state === 'fail')) throw new QuietExit(1);
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
