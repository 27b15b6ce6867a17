import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import { readMarkdown } from './markdown.ts';
import { recordSchema } from './record.ts';
import type { ExchangeRecord } from './record.ts';

/** Reads our own JSONL, the JSONL of the official memory server, or Markdown notes; `name` is the file's, and tells which. */
export function readRecords(text: string, name: string): ExchangeRecord[] {
  const isMarkdown = /\.(?:md|markdown|txt)$/i.test(name) || !/^\s*\{/.test(text);
  return isMarkdown ? readMarkdown(text, name) : readJsonLines(text, name);
}

const officialEntity = z.object({ type: z.literal('entity'), name: z.string(), entityType: z.string(), observations: z.array(z.string()) });
const officialRelation = z.object({ type: z.literal('relation'), from: z.string(), to: z.string(), relationType: z.string() });

function readJsonLines(text: string, name: string): ExchangeRecord[] {
  return text.split('\n').flatMap((line, i) => (line.trim() === '' ? [] : readLine(line, `${name}:${i + 1}`)));
}

function readLine(line: string, where: string): ExchangeRecord[] {
  const value = parseLine(line, where);
  const entity = officialEntity.safeParse(value);
  if (entity.success) return readEntity(entity.data);
  const relation = officialRelation.safeParse(value);
  if (relation.success) return [readRelation(relation.data)];
  const own = recordSchema.safeParse(value);
  if (own.success) return [own.data];
  const problem = own.error.issues[0];
  throw new HubError('invalid', `${where} is not a record: ${problem?.path.join('.') ?? ''} ${problem?.message ?? ''}`.trim(), {
    hint: 'Expected lines of `holdfast memory export` or of the official memory server.',
  });
}

function parseLine(line: string, where: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new HubError('invalid', `${where} is not JSON.`, {}, cause);
  }
}

const blank = { kind: 'fact', scopeTeamId: null, scopeAgentId: null, validTo: null } as const;

/** Observations of one entity are context of each other, in their order. */
function readEntity({ name, entityType, observations }: z.output<typeof officialEntity>): ExchangeRecord[] {
  const about = {
    ...blank,
    title: name.slice(0, 500) || 'entity',
    tags: entityType === '' ? [] : [entityType.slice(0, 200)],
    episode: `entity ${name}`.slice(0, 200),
  };
  const facts = observations.length === 0 ? [`${name} is a ${entityType}.`] : observations;
  return facts.map((content) => ({ ...about, content }));
}

function readRelation({ from, to, relationType }: z.output<typeof officialRelation>): ExchangeRecord {
  const content = `${from} ${relationType.replace(/_/g, ' ')} ${to}`;
  return { ...blank, title: from.slice(0, 500) || 'relation', content, tags: ['relation'], episode: `entity ${from}`.slice(0, 200) };
}
