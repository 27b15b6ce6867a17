import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { EVERY_DAY } from '../../src/cli/terminal/help.ts';
import { createProgram } from '../../src/cli/program.ts';
import type { World } from '../../src/cli/world.ts';
import { openTerminal } from '../fixtures/terminal.ts';

const everything = (program: Command): Command[] => [program, ...program.commands.flatMap(everything)];
const pathOf = (command: Command): string[] =>
  command.parent ? [...pathOf(command.parent), command.name()] : [];

describe('help', () => {
  it('begins with the five things of every day, each of which exists', async () => {
    const { out } = await openTerminal(80).run('--help');
    expect(out.indexOf('Every day:')).toBeGreaterThan(0);
    expect(out.indexOf('Every day:')).toBeLessThan(out.indexOf('Work:'));
    expect(EVERY_DAY).toHaveLength(5);
    const known = new Set(everything(await createProgram({} as World)).map((each) => pathOf(each).join(' ')));
    for (const { name } of EVERY_DAY) expect(known).toContain(name.replace(/ ["<].*/, ''));
  });

  it.each([40, 60, 80, 120])(
    'of every command fits into %i columns',
    { timeout: 60_000 },
    async (columns) => {
      const { run } = openTerminal(columns);
      for (const command of everything(await createProgram({} as World))) {
        const path = pathOf(command);
        const { code, out } = await run(...path, '--help');
        expect(code, path.join(' ')).toBe(0);
        // One word that is wider than the terminal cannot be helped; it stands alone.
        for (const line of out.split('\n'))
          expect(line.length <= columns || !/\S\s+\S/.test(line.trim()), `${path.join(' ')}: ${line}`).toBe(
            true,
          );
      }
    },
  );

  it.each([
    ['help board add', 'Usage: holdfast board add [options]'],
    ['board help add', 'Usage: holdfast board add [options]'],
    ['help board', 'Usage: holdfast board'],
    ['help', 'Usage: holdfast [command]'],
  ])('holdfast %s shows just that', async (line, first) => {
    const { code, out } = await openTerminal(80).run(...line.split(' '));
    expect(code).toBe(0);
    expect(out.split('\n')[0]).toContain(first);
  });

  it.each([
    ['bord', 'Did you mean board?'],
    ['help bord', 'Did you mean board?'],
    ['board lst', 'Did you mean list?'],
    ['help board lst', 'Did you mean list?'],
    ['board list --staus done', 'Did you mean --status?'],
    ['add kelp', 'Did you mean `holdfast board add`?'],
    ['allow 123', 'Did you mean `holdfast approvals allow`?'],
  ])('holdfast %s is told what may be meant', async (line, suggestion) => {
    const { code, err } = await openTerminal(80).run(...line.split(' '));
    expect(code).toBe(2);
    expect(err).toContain(suggestion);
  });
});
