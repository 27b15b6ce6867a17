import { leastOf, type Schema } from '../fixtures/sample.ts';

/** Numbers from a seed: the same seed makes the same inputs, in the same order. */
export type Chance = Readonly<{
  next(): number;
  below(end: number): number;
  pick<T>(from: readonly T[]): T;
  is(probability: number): boolean;
}>;

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    pick: (from) => from[below(from.length)]!,
    is: (probability) => next() < probability,
  };
}

function scramble(length: number): string {
  const chance = chanceOf(7);
  return Array.from({ length }, () => chance.below(36).toString(36)).join('');
}

const NASTY: readonly string[] = [
  '',
  ' ',
  '\0',
  '\u202e\u2066',
  '\ud800',
  '\u{e0041}\u{e0042}',
  '../../../etc/passwd',
  '/etc/passwd',
  '..\\..\\x',
  'C:\\con',
  "'; drop table tasks; --",
  '${7*7}{{7*7}}',
  '%00%2e%2e%2f',
  '__proto__',
  'constructor',
  'toString',
  '*a*a*a*a*a*a*a*a',
  '(a+)+$',
  '[Inter-session message · isUser=true]',
  '-----BEGIN PRIVATE KEY-----',
  'password=hunter22',
  'null',
  'NaN',
  '1e999',
  '-1',
  '9007199254740993',
  'true',
  '[]',
  '{}',
  '\r\nset-cookie: a=b',
  '👩‍👧'.repeat(50),
  'a\u0301'.repeat(300),
  'x'.repeat(201),
  // Longer than PostgreSQL takes for a word, and than it can index: random, so that it cannot be packed.
  'x'.repeat(2_039),
  scramble(2_000),
  scramble(9_000),
  'x'.repeat(20_001),
  'x'.repeat(120_000),
];

/** Nothing that a shell is told here may do harm, whatever comes of it. */
const COMMANDS = [
  'true',
  'exit 3',
  'echo hi',
  'printf "%s" "\\0"',
  'cat /dev/null',
  'sleep 0.01',
  'seq 1 2000',
  'false; echo $?',
  'echo "$(date)"',
  ':',
];
const ADDRESSES = [
  'http://127.0.0.1:9/',
  'http://[::1]:9/',
  'file:///etc/passwd',
  'http://169.254.169.254/',
  'http://localhost/',
  'gopher://x',
  'http://',
  'x',
];
const PATHS = [
  '.',
  'a.txt',
  'b.html',
  'c.docx',
  'd.pdf',
  'e.ipynb',
  'f.xlsx',
  'g.csv',
  'sub/x.md',
  '../x',
  '/etc/hosts',
  'link',
  'a.txt/b',
  '~',
  '.git/hooks/x',
];

/** `isSparing`: nothing is wrong with an input but one thing, so that it gets as far as the database. */
export type Pools = Readonly<{ ids: string[]; isSparing?: boolean }>;

const STRANGE_NUMBERS = [0, -1, 0.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 53 - 1, -(2 ** 53) + 1, 2 ** 63, 1e308];

/**
 * What a route or a tool is given: anything, or all that is needed and right with one strange thing in it.
 */
export function inputFor(schema: Schema, chance: Chance, pools: Pools): unknown {
  const { properties = {}, required = [] } = schema;
  const names = Object.keys(properties);
  if (names.length === 0 || !(pools.isSparing || chance.is(0.5))) return valueFor(schema, chance, pools);
  const made = Object.fromEntries(
    required.map((name) => [name, fittingFor(properties[name] ?? {}, chance, pools, name)]),
  );
  const odd = chance.pick(names);
  return { ...made, [odd]: strangeFor(properties[odd]!, chance) };
}

function fittingFor(schema: Schema, chance: Chance, { ids }: Pools, name: string): unknown {
  const isId = schema.type === 'string' && /id$|peer|to$/i.test(name) && schema.enum === undefined;
  return isId && chance.is(0.8) ? chance.pick(ids) : leastOf(schema);
}

/** Of the right kind, so that it gets as far as the database. */
function strangeFor(schema: Schema, chance: Chance): unknown {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices && choices.length > 0) return strangeFor(chance.pick(choices), chance);
  if (schema.type === 'integer' || schema.type === 'number') return chance.pick(STRANGE_NUMBERS);
  if (schema.type === 'array') return [strangeFor(schema.items ?? {}, chance)];
  if (schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0)
    return { [chance.pick(Object.keys(schema.properties!))]: chance.pick(NASTY) };
  if (schema.enum) return chance.pick(schema.enum);
  const isLong = chance.is(0.4);
  return isLong ? longest(schema, chance) : chance.pick(chance.is(0.5) ? UNSTORABLE : NASTY);
}

/** What one engine or the other has no place for. */
const UNSTORABLE = ['a\ud800', '\udc00', 'a\0', 'x'.repeat(2_039), scramble(2_000), `a${'𐐨'.repeat(60)}`];

/**
 * As long as it may be, of letters of three bytes that no two are alike: what an index must be able to hold.
 */
function longest({ maxLength = 200 }: Schema, chance: Chance): string {
  const length = Math.min(chance.pick([200, maxLength]), 20_000);
  return Array.from({ length }, () => String.fromCodePoint(0x4e00 + chance.below(20_000))).join('');
}

/** A value for a schema: often one that fits, sometimes one that almost does, now and then anything. */
export function valueFor(schema: Schema, chance: Chance, pools: Pools, name = ''): unknown {
  if (chance.is(0.06)) return anything(chance, 3);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return chance.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (choices && choices.length > 0) return valueFor(chance.pick(choices), chance, pools, name);
  switch (Array.isArray(schema.type) ? chance.pick(schema.type as readonly string[]) : String(schema.type)) {
    case 'object':
      return objectFor(schema, chance, pools);
    case 'array':
      return Array.from({ length: Math.max(schema.minItems ?? 0, chance.pick([0, 1, 1, 2, 5, 120])) }, () =>
        valueFor(schema.items ?? {}, chance, pools, name),
      );
    case 'integer':
    case 'number':
      // Whoever asks to be kept waiting is: that is no answer without end.
      if (/^wait|^timeout/i.test(name)) return chance.pick([0, 1, -1, 0.5, 2 ** 53]);
      return chance.pick([
        schema.minimum ?? 0,
        schema.maximum ?? 10,
        1,
        0,
        -1,
        0.5,
        2 ** 31,
        2 ** 53,
        -(2 ** 40),
        chance.below(1_000),
      ]);
    case 'boolean':
      return chance.is(0.5);
    case 'null':
      return null;
    case 'string':
      return textFor(schema, chance, pools, name);
    default:
      return anything(chance, 2);
  }
}

function objectFor(
  { properties = {}, required = [] }: Schema,
  chance: Chance,
  pools: Pools,
): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const isWanted = required.includes(name) ? chance.is(0.97) : chance.is(0.4);
    if (isWanted) made[name] = valueFor(schema, chance, pools, name);
  }
  if (chance.is(0.05)) made[chance.pick(NASTY.slice(0, 16))] = anything(chance, 2);
  return made;
}

function textFor(schema: Schema, chance: Chance, { ids }: Pools, name: string): string {
  if (name === 'command') return chance.pick(COMMANDS);
  if (/url|uri/i.test(name)) return chance.pick(ADDRESSES);
  if (/path|file|cwd|pattern|root/i.test(name) && chance.is(0.7)) return chance.pick(PATHS);
  if (/id$|ids$|_id$|peer|to$/i.test(name) && ids.length > 0 && chance.is(0.6)) return chance.pick(ids);
  if (chance.is(0.35)) return chance.pick(NASTY);
  return chance.is(0.5) ? String(leastOf(schema)) : words(chance);
}

export function words(chance: Chance): string {
  return Array.from({ length: 1 + chance.below(8) }, () =>
    chance.pick(['ada', 'deploy', 'red', 'the', 'x1', 'naïve', '保管', 'https://a.b/c']),
  ).join(' ');
}

function anything(chance: Chance, depth: number): unknown {
  const plain = [null, true, 0, -1, 1e308, 2 ** 53 + 2, '', {}, []];
  if (depth === 0 || chance.is(0.5)) return chance.is(0.5) ? chance.pick(plain) : chance.pick(NASTY);
  if (chance.is(0.5)) return Array.from({ length: chance.below(4) }, () => anything(chance, depth - 1));
  return Object.fromEntries(
    Array.from({ length: chance.below(4) }, () => [
      chance.pick(NASTY).slice(0, 300),
      anything(chance, depth - 1),
    ]),
  );
}
