import { z } from 'zod';
import { isObject } from '../../../kernel/loose-json.ts';
import { readDuration } from '../../../kernel/settings.ts';
import { describeProblems } from '../../../mcp/validate.ts';
import { hideArguments } from './hide-arguments.ts';

/** What an entry of `sources:` may say. Parsed once here; a bad entry is refused alone and the hub goes on without it. */
export type Trust = 'ask' | 'pinned' | 'all';

/** Names of built-in servers, and words of our own addresses. */
export const RESERVED: ReadonlySet<string> = new Set([
  'being',
  'brain',
  'config',
  'hub',
  'memory',
  'source',
  'tasks',
  'teamchat',
  'tools',
]);

const SOURCE_NAME = /^[a-z][a-z0-9-]{0,23}$/;

const duration = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .refine((text) => (readDuration(text) ?? 0) > 0, 'must be a duration such as 500ms, 30s or 2m')
    .transform((text) => readDuration(text)!);

const texts = z.record(z.string().min(1).max(200), z.string().max(20_000));

export const entrySchema = z.strictObject({
  command: z
    .array(z.string().min(1).max(4_000))
    .min(1)
    .max(200)
    .optional()
    .describe('Program and arguments, as one list.'),
  url: z
    .string()
    .max(4_000)
    .regex(/^https?:\/\//, 'must begin with http:// or https://')
    .optional(),
  env: texts
    .default({})
    .describe('Variables of the program; ${secrets.name} stands for an entry of secrets.yaml.'),
  inherit: z
    .array(z.string().min(1).max(200))
    .max(100)
    .default([])
    .describe("Further variables it takes from the hub's own environment."),
  headers: texts
    .default({})
    .describe('Headers of every request; ${secrets.name} stands for an entry of secrets.yaml.'),
  cwd: z.string().min(1).max(4_000).optional(),
  trust: z.enum(['ask', 'pinned', 'all']).default('ask'),
  enabled: z.boolean().default(true),
  isolate: z
    .enum(['shared', 'caller'])
    .default('shared')
    .describe('caller: each caller gets a connection of its own.'),
  start: duration('15s').describe('How long it may take until it has listed its tools.'),
  timeout: duration('60s').describe('How long one call may take.'),
  tags: z
    .array(z.string().regex(/^[\w-]{1,40}$/))
    .max(20)
    .default([]),
  speaks: z
    .enum(['auto', 'legacy', '2026-07-28'])
    .default('auto')
    .describe('Which era of the protocol it is asked for.'),
  client: z
    .strictObject({ id: z.string().min(1).max(500), secret: z.string().min(1).max(2_000).optional() })
    .optional()
    .describe('An OAuth client that was registered beforehand.'),
});

type SourceSettings = z.output<typeof entrySchema>;
export type SourceEntry = SourceSettings & Readonly<{ name: string }>;

export type Read = Readonly<{ name: string } & ({ entry: SourceEntry } | { problem: string })>;

/** Every entry of the document's `sources`, good or bad, by name. */
export function readEntries(document: unknown): readonly Read[] {
  const sources = isObject(document) ? document['sources'] : undefined;
  if (sources === undefined || sources === null) return [];
  if (!isObject(sources)) return [{ name: 'sources', problem: 'sources must be a map of names to entries' }];
  return Object.entries(sources)
    .map(([name, value]) => readEntry(name, value))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export function readEntry(name: string, value: unknown): Read {
  const refused = nameProblem(name);
  if (refused !== undefined) return { name: name.slice(0, 64), problem: refused };
  const parsed = entrySchema.safeParse(value ?? {});
  if (!parsed.success) {
    const schema = z.toJSONSchema(entrySchema, { io: 'input' });
    const problems = describeProblems(parsed.error, schema, value).join('; ');
    // What was given is quoted there, and a command that was written as one line has its keys in it.
    return { name, problem: hideArguments(problems.split(' ')).join(' ') };
  }
  const { command, url } = parsed.data;
  if ((command === undefined) === (url === undefined))
    return { name, problem: 'needs either a command or a url' };
  return { name, entry: { name, ...parsed.data } };
}

export function nameProblem(name: string): string | undefined {
  if (RESERVED.has(name))
    return `${JSON.stringify(name)} is the name of a built-in server; choose another one`;
  if (SOURCE_NAME.test(name)) return undefined;
  return 'a name must be a short lower-case word: letters, digits and dashes, at most 24';
}
