import type { Api } from '../../features/api.ts';
import type { Client } from '../client.ts';

/** As many as are looked at to say where they are; of more it is said that there are more. */
const LOOKED_AT = 200;

type Wanted = NonNullable<Api['GET /api/board/tasks']['given']>;

/** What is open in other projects, for who finds nothing here: `1 open in reef, 3 in web; --all shows them.` */
export function openElsewhere(client: Client, here: string | undefined): Promise<string | undefined> {
  return foundElsewhere(client, { here, wanted: { state: 'open' }, word: ' open' });
}

/** The same for a list that was narrowed. */
export function matchingElsewhere(
  client: Client,
  here: string | undefined,
  wanted: Wanted,
): Promise<string | undefined> {
  const { teamId: _teamId, orNone: _orNone, cursor: _cursor, after: _after, ...narrowed } = wanted;
  return foundElsewhere(client, { here, wanted: narrowed, word: '' });
}

type Elsewhere = Readonly<{ here: string | undefined; wanted: Wanted; word: string }>;

async function foundElsewhere(
  { ask }: Client,
  { here, wanted, word }: Elsewhere,
): Promise<string | undefined> {
  if (here === undefined) return undefined;
  const { tasks, total } = await ask('GET /api/board/tasks', { ...wanted, limit: LOOKED_AT });
  const byTeam = Map.groupBy(
    tasks.filter(({ teamId }) => teamId !== null && teamId !== here),
    ({ teamId }) => teamId!,
  );
  if (byTeam.size === 0) return undefined;
  const [first, ...rest] = [...byTeam]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([team, found]) => ({ team, count: found.length }));
  const others = rest.slice(0, 2).map(({ team, count }) => `, ${count} in ${team}`);
  const more = rest.length > 2 || total > LOOKED_AT ? ', and more' : '';
  return `${first!.count}${word} in ${first!.team}${others.join('')}${more}; --all shows them.`;
}
