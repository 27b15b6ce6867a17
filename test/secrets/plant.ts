// A secret into every text that any route or tool takes, found by their own schemas: a field that is added is planted
// without anybody's doing.
import { type ApiRoute, routesOf } from '../fixtures/api.ts';
import { leastOf, type Schema } from '../fixtures/sample.ts';
import { type Answer, callOf, idsIn, type Input, sender, toolsOf, WAITING } from '../fuzz/fuzz.ts';
import { KINDS } from './kinds.ts';

export const MARK = /7e57c0([0-9a-f]{4})([0-9a-f]{2})/gi;

export type Planted = Readonly<{ target: string; field: string; status: number }>;

/** What somebody was told, where it holds a mark. */
export type Told = Readonly<{ where: string; text: string }>;

type Path = readonly (string | number)[];
type Plot = Readonly<{ target: string; schema: Schema; isReading: boolean; input(args: unknown): Input }>;

/** What ends the hub's own work, or waits for somebody. */
const LEFT_ALONE = /shutdown|restart|disconnect/;
/** What takes things away comes when there is nothing left to be planted in them. */
const TAKES_AWAY = /DELETE |undo|remove|revoke|forget|restore|drop/;

/** Plants a secret everywhere, then asks for all there is to read. `told`: every answer that holds one. */
export async function plantEverywhere(
  address: string,
  token: string,
): Promise<Readonly<{ planted: readonly Planted[]; told: readonly Told[] }>> {
  const send = sender(address);
  const plots = [
    ...(await routesOf({ fetch: (path) => fetch(`${address}${path}`) })).map((route) =>
      ofRoute(route, token),
    ),
    ...(await toolsOf(token, send)).map((tool) => ({
      target: `${tool.path} ${tool.name}`,
      schema: tool.inputSchema,
      isReading: tool.annotations?.readOnlyHint === true,
      input: (args: unknown) => callOf(tool, token, args),
    })),
  ].filter(({ target }) => !WAITING.test(target) && !LEFT_ALONE.test(target));
  const planted: Planted[] = [];
  const told: Told[] = [];
  const known = new Map<string, string>();

  async function plant(plot: Plot, path: Path, leaf: Schema): Promise<void> {
    const number = planted.length;
    const field = path.join('.');
    planted.push({ target: plot.target, field, status: 0 });
    let status = 0;
    for (const text of textsFor(number, leaf)) {
      const args = withValue(filled(plot.schema, known), path, text);
      const answer = await send(plot.input(args)).catch(() => undefined);
      if (!answer) continue;
      listen(`the answer of ${plot.target}`, answer.text);
      learn(plot.target, answer, known);
      if (status === 0 || answer.status < 300) status = answer.status;
    }
    planted[number] = { target: plot.target, field, status };
  }

  const work = plots.flatMap((plot) => textsOf(plot.schema).map(({ path, leaf }) => ({ plot, path, leaf })));
  const isLate = ({ plot }: (typeof work)[number]) => TAKES_AWAY.test(plot.target);
  // What makes things goes first, so that there are ids of everything.
  const makes = ({ plot }: (typeof work)[number]) =>
    /create|POST|register|add|save/i.test(plot.target) ? 0 : 1;
  const early = work.filter((each) => !isLate(each)).toSorted((a, b) => makes(a) - makes(b));
  await atOnce(early, ({ plot, path, leaf }) => plant(plot, path, leaf));
  await atOnce(plots, read);
  await atOnce(work.filter(isLate), ({ plot, path, leaf }) => plant(plot, path, leaf));
  return { planted, told };

  /** Asked for without a secret: what comes back was kept. */
  async function read(plot: Plot): Promise<void> {
    if (!plot.isReading) return;
    const answer = await send(plot.input(filled(plot.schema, known))).catch(() => undefined);
    listen(plot.target, answer?.text ?? '');
  }

  function listen(where: string, text: string): void {
    if (text.match(MARK)) told.push({ where, text });
  }
}

async function atOnce<T>(queue: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...queue];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/** The mark of this place in one key, then in as many as the field has room for. */
function textsFor(number: number, { maxLength = 20_000 }: Schema): string[] {
  const of = (kind: number) => KINDS[kind % KINDS.length]!.make(markOf(number, kind % KINDS.length));
  const alone = of(number);
  const all: string[] = [];
  let length = 0;
  for (let i = 0; i < KINDS.length; i += 1) {
    const one = of(number + i);
    if (length + one.length + 8 > Math.min(maxLength, 19_000)) continue;
    all.push(one);
    length += one.length + 8;
  }
  const texts = [alone, ...(all.length > 0 ? [`notes:\n${all.map((one) => `a ${one} b`).join('\n')}`] : [])];
  return texts.filter((text) => text.length <= maxLength);
}

export function markOf(number: number, kind: number): string {
  return `7e57c0${number.toString(16).padStart(4, '0')}${kind.toString(16).padStart(2, '0')}`;
}

/** Where texts stand in what it takes. */
function textsOf(schema: Schema, path: Path = []): Readonly<{ path: Path; leaf: Schema }>[] {
  if (path.length > 5 || schema.const !== undefined || schema.enum) return [];
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (choices) return choices.flatMap((choice) => textsOf(choice, path));
  const isOf = (type: string) =>
    schema.type === type || (Array.isArray(schema.type) && schema.type.includes(type));
  const found: Readonly<{ path: Path; leaf: Schema }>[] = [];
  if (isOf('string')) found.push({ path, leaf: schema });
  if (isOf('array')) found.push(...textsOf(schema.items ?? { type: 'string' }, [...path, 0]));
  if (isOf('object') || schema.properties)
    for (const [name, each] of Object.entries(schema.properties ?? {}))
      found.push(...textsOf(each, [...path, name]));
  return found;
}

function withValue(whole: unknown, [first, ...rest]: Path, value: string): unknown {
  if (first === undefined) return value;
  if (typeof first === 'number') return [withValue(Array.isArray(whole) ? whole[0] : undefined, rest, value)];
  const object = typeof whole === 'object' && whole !== null && !Array.isArray(whole) ? whole : {};
  return { ...object, [first]: withValue((object as Record<string, unknown>)[first], rest, value) };
}

/** All that is needed, with ids of what is there. */
function filled(schema: Schema, known: ReadonlyMap<string, string>): unknown {
  const least = leastOf(schema);
  if (typeof least !== 'object' || least === null || Array.isArray(least)) return least;
  return Object.fromEntries(
    Object.entries(least).map(([name, value]) => {
      const isText = typeof value === 'string' && schema.properties?.[name]?.enum === undefined;
      return [name, isText ? (idFor(name, known) ?? value) : value];
    }),
  );
}

const KNOWN_KINDS = ['task', 'memor', 'fact', 'being', 'peer', 'project', 'room', 'run', 'token', 'grant'];

function idFor(name: string, known: ReadonlyMap<string, string>): string | undefined {
  const kind = KNOWN_KINDS.find((each) => name.toLowerCase().includes(each));
  if (kind !== undefined) return known.get(kind);
  return /^id$|_id$|Id$/.test(name) ? known.get('task') : undefined;
}

function learn(target: string, { text, status }: Answer, known: Map<string, string>): void {
  if (status >= 300) return;
  const [id] = idsIn(text);
  const kind = KNOWN_KINDS.find((each) => target.toLowerCase().includes(each));
  if (id !== undefined && kind !== undefined && !known.has(kind) && !/7e57c0/i.test(id)) known.set(kind, id);
}

function ofRoute({ method, path, parameters, body, isStream }: ApiRoute, token: string): Plot {
  const named = (place: 'path' | 'query') =>
    Object.fromEntries(
      parameters.filter((each) => each.in === place).map(({ name, schema }) => [name, schema]),
    );
  const schema: Schema = {
    type: 'object',
    properties: {
      path: { type: 'object', properties: named('path'), required: Object.keys(named('path')) },
      query: { type: 'object', properties: named('query') },
      ...(body && { body }),
    },
    required: ['path', ...(body ? ['body'] : [])],
  };
  return {
    target: `${method} ${path}`,
    schema,
    isReading: method === 'GET' && !isStream,
    input(args) {
      const given = args as {
        path?: Record<string, string | number>;
        query?: Record<string, string>;
        body?: unknown;
      };
      const filledIn = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(String(given.path?.[name] ?? 'x').slice(0, 2_000)),
      );
      const query = new URLSearchParams(
        Object.entries(given.query ?? {}).map(([name, value]): [string, string] => [
          name,
          value.slice(0, 4_000),
        ]),
      );
      return {
        name: `${method} ${path}`,
        method,
        path: `${filledIn}?${query.toString()}`,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        body: body && JSON.stringify(given.body ?? {}),
        ...(isStream && { isStream }),
      };
    },
  };
}
