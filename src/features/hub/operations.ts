// What the hub says of itself: how it is, and what the page has to know before it asks for anything else.
import { z } from 'zod';
import type { Clock } from '../../kernel/clock.ts';
import type { LivingConfig } from '../../kernel/living-config.ts';
import type { Principal } from '../../kernel/principal.ts';
import { redact } from '../../kernel/redact.ts';
import { VERSION } from '../../kernel/version.ts';
import { work } from '../../operation/operation.ts';
import type { Database } from '../../store/database.ts';

type HubFacts = Readonly<{
  db: Database;
  hub: string;
  clock: Clock;
  /** When it started, by what has passed. */
  startedAt: number;
  rooms(): readonly string[];
  address(): string;
  isOpen: boolean;
  living: Pick<LivingConfig, 'settings' | 'problem'>;
}>;

const health = work({
  name: 'health',
  summary: 'Is the hub well, and what is it?',
  scope: 'hub:read',
  effect: 'read',
  refusals: ['unavailable'],
  input: {},
  output: z.object({
    ok: z.boolean().describe('False while something does not work: `problems` says what.'),
    problems: z.array(z.string()).describe('What does not work, one sentence each. Reading goes on.'),
    version: z.string(),
    engine: z.enum(['sqlite', 'postgres']),
    schema: z.int().describe('The number of the newest migration.'),
    eventHead: z.int().describe('The sequence number of the newest event.'),
    uptimeMs: z.int(),
    hub: z.string(),
  }),
  route: 'GET /api/health',
  async run({ db, hub, clock, startedAt }: HubFacts) {
    const trouble = await db.trouble();
    return {
      ok: trouble === undefined,
      problems: trouble === undefined ? [] : [trouble],
      version: VERSION,
      engine: db.engine,
      schema: db.schema,
      eventHead: await db.feed.head(),
      uptimeMs: Math.round(clock.elapsed() - startedAt),
      hub,
    };
  },
});

const page = work({
  name: 'page',
  summary: 'Which rooms this hub has, and whether the caller has signed in.',
  scope: 'hub:read',
  effect: 'read',
  input: {},
  output: z.object({
    version: z.string(),
    address: z.string(),
    rooms: z.array(z.string()).describe('What this hub has, so that nobody asks it for what it has not.'),
    isSignedIn: z.boolean().describe('May see what asks for a credential: runs, Beings, tokens.'),
    reader: z
      .string()
      .describe('Who looks, the same after a restart: what a browser keeps for one is not shown to another.'),
  }),
  route: 'GET /api/page',
  run: async ({ rooms, address, isOpen }: HubFacts, _, { who }) => ({
    version: VERSION,
    address: address(),
    rooms: [...rooms()],
    isSignedIn: isOpen || who.kind === 'operator',
    reader: readerOf(who),
  }),
});

const settings = work({
  name: 'settings',
  summary: 'The settings this hub runs with, who said so, and what config.yaml says by now.',
  scope: 'access:admin',
  effect: 'read',
  input: {},
  output: z.object({
    settings: z.array(
      z.object({
        key: z.string(),
        value: z.string().nullable().describe('As it was written; null: as it is by default.'),
        from: z.string().describe('A flag, a variable, config.yaml or default.'),
        next: z.string().nullable().optional().describe('What counts from the next start on.'),
      }),
    ),
    problem: z.string().nullable().describe('Why config.yaml is not followed.'),
  }),
  route: 'GET /api/settings',
  run: async ({ living }: HubFacts) => ({
    settings: living.settings().map(({ key, text, from, next }) => ({
      key,
      value: text === undefined ? null : redact(text),
      from,
      ...(next !== undefined && { next: next === null ? null : redact(next) }),
    })),
    problem: living.problem() ?? null,
  }),
});

function readerOf({ kind, id }: Principal): string {
  return kind === 'operator' || kind === 'local' ? kind : `${kind}:${id}`;
}

export const hubOperations = [health, page, settings] as const;
