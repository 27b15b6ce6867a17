import type { Client } from './client.ts';

/** As many as are looked at to say where they are; of more it is said that there are more. */
const LOOKED_AT = 200;

/** What is open in other projects, for who finds nothing here: `1 open in reef, 3 in web; --all shows them.` */
export async function openElsewhere({ ask }: Client, here: string | undefined): Promise<string | undefined> {
  if (here === undefined) return undefined;
  const { tasks, total } = await ask('GET /api/board/tasks', { limit: LOOKED_AT });
  const byTeam = Map.groupBy(
    tasks.filter(({ teamId }) => teamId !== null && teamId !== here),
    ({ teamId }) => teamId!,
  );
  if (byTeam.size === 0) return undefined;
  const [first, ...rest] = [...byTeam]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([team, open]) => ({ team, open: open.length }));
  const others = rest.slice(0, 2).map(({ team, open }) => `, ${open} in ${team}`);
  const more = rest.length > 2 || total > LOOKED_AT ? ', and more' : '';
  return `${first!.open} open in ${first!.team}${others.join('')}${more}; --all shows them.`;
}
