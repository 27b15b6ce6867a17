import type { Options } from '../options.ts';
import type { World } from '../world.ts';
import { type Column, renderTable } from './table.ts';

/** How a command shows what it lists: as JSON under its name, as a table, or with a sentence where there is none. */
export function listPrinter<R>(none: string, columns: readonly Column<R>[]) {
  return (world: World, options: Options, named: Readonly<Record<string, readonly R[]>>): void => {
    const rows = Object.values(named).flat();
    if (options['json']) return world.print(JSON.stringify(named));
    if (rows.length === 0) return world.tell(none);
    world.print(renderTable(columns, rows, world.columns));
  };
}
