// The same inputs for a hub on SQLite and one on PostgreSQL, one after the other so that both have seen the
// same before: what one of them takes or refuses, the other takes or refuses.
import { chanceOf, type Pools } from './generate.ts';
import {
  type Answer,
  broken,
  draw,
  HEAVY,
  idsIn,
  type Input,
  keep,
  sender,
  type Target,
  targetsOf,
  WAITING,
} from './fuzz.ts';

type Side = Readonly<{ address: string; token: string }>;
export type BothOptions = Readonly<{ sqlite: Side; postgres: Side; inputs: number; seed: number }>;
export type BothReport = Readonly<{
  sent: number;
  byOutcome: Readonly<Record<string, number>>;
  failures: readonly string[];
}>;

/** What hangs on the moment, on a process or on chance, not on what is stored. */
const APART = /^protocol$|rotate|undo|policy\/|\/stream|health|logs|\/whoami|^\/mcp.* \w+__|sources/;

const made = (path: string, body: object): Input => ({
  name: path,
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
/** Something to speak of. */
const BEGINNING = [
  ...['one', 'two', 'three'].map((title) => made('/api/board/tasks', { title })),
  made('/api/memory', { title: 'Deploy window', content: 'We deploy on Tuesdays' }),
];

export async function fuzzBoth({ sqlite, postgres, inputs, seed }: BothOptions): Promise<BothReport> {
  const chance = chanceOf(seed);
  const pools: Pools = { ids: ['ada', 'red', 'team:red'], isSparing: true };
  const [toSqlite, toPostgres] = [sender(sqlite.address), sender(postgres.address)];
  const all = await targetsOf(sqlite.address, sqlite.token, toSqlite);
  const targets = all.filter(({ name }) => ![HEAVY, WAITING, APART].some((kind) => kind.test(name)));
  const total = targets.reduce((sum, { weight }) => sum + weight, 0);
  const twins = new Map([[sqlite.token, postgres.token]]);
  const byOutcome: Record<string, number> = {};
  const failures: string[] = [];
  for (const input of BEGINNING) pair(await toSqlite(input), await toPostgres(input));
  let sent = 0;
  while (sent < inputs && failures.length < 20) {
    sent += 1;
    const input = drawn(targets);
    if (input.isStream) continue;
    const [one, other] = await Promise.all([toSqlite(input), toPostgres(asTwin(input, twins))].map(orBroken));
    const outcome = outcomeOf(one!);
    byOutcome[outcome] = (byOutcome[outcome] ?? 0) + 1;
    pair(one!, other!);
    if (outcome === outcomeOf(other!)) continue;
    const lines = [
      `input ${sent} of seed ${seed}: ${outcome} on SQLite, ${outcomeOf(other!)} on PostgreSQL`,
      `${input.name} ${input.path}`,
      (input.body ?? '').slice(0, 1_500),
      ...[one!, other!].map(({ text }) => `→ ${text.slice(0, 300)}`),
    ];
    failures.push(lines.join('\n  '));
  }
  return { sent, byOutcome, failures };

  function drawn(from: readonly Target[]): Input {
    return draw(from, total, chance).make(chance, pools);
  }

  /** The things that both have made by the same input are the same thing under two ids. */
  function pair(one: Answer, other: Answer): void {
    const [mine, theirs] = [idsIn(one.text), idsIn(other.text)];
    if (mine.length !== theirs.length) return;
    mine.forEach((id, i) => {
      if (id !== theirs[i]) twins.set(id, theirs[i]!);
      keep(id, pools);
    });
  }
}

function asTwin(input: Input, twins: ReadonlyMap<string, string>): Input {
  const text = JSON.stringify(input);
  let other = text;
  for (const [mine, theirs] of twins) if (text.includes(mine)) other = other.replaceAll(mine, theirs);
  return JSON.parse(other) as Input;
}

function orBroken(answer: Promise<Answer>): Promise<Answer> {
  return answer.catch(broken);
}

/** The status, and over MCP how the call ended. */
function outcomeOf({ status, text }: Answer): string {
  const isError = /"isError":true/.test(text);
  const code = /"code":\s*"?(-?\w+)/.exec(
    isError || status >= 400 || text.includes('"error"') ? text : '',
  )?.[1];
  return [status, ...(isError ? ['refused'] : []), ...(code === undefined ? [] : [code])].join(' ');
}
