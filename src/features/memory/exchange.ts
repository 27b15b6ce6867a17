import { z } from 'zod';
import { readJsonLines } from '../../kernel/json-lines.ts';
import { readMarkdown } from './markdown.ts';
import { checkRecord, type ExchangeRecord } from './record.ts';

/** Reads our own JSONL, the JSONL of the official memory server, or Markdown notes; `name` is the file's, and tells which. */
export function readRecords(text: string, name: string): ExchangeRecord[] {
  const plain = text.replace(/^\uFEFF/, '');
  if (!isJson(plain, name)) return readMarkdown(plain, name);
  const where = (line: number) => `${name}:${line}`;
  return [...readJsonLines(plain, where)].flatMap(({ number, record }) => readLine(record, where(number)));
}

function isJson(text: string, name: string): boolean {
  if (/\.(?:jsonl?|ndjson)$/i.test(name)) return true;
  return !/\.(?:md|markdown|txt)$/i.test(name) && /^\s*\{/.test(text);
}

const officialEntity = z.object({
  type: z.literal('entity'),
  name: z.string(),
  entityType: z.string(),
  observations: z.array(z.string()),
});
const officialRelation = z.object({
  type: z.literal('relation'),
  from: z.string(),
  to: z.string(),
  relationType: z.string(),
});

function readLine(value: unknown, where: string): ExchangeRecord[] {
  const entity = officialEntity.safeParse(value);
  if (entity.success) return readEntity(entity.data).map((record) => checkRecord(record, where));
  const relation = officialRelation.safeParse(value);
  return [checkRecord(relation.success ? readRelation(relation.data) : value, where)];
}

/** Observations of one entity are context of each other, in their order. */
function readEntity({ name, entityType, observations }: z.output<typeof officialEntity>): object[] {
  const tags = entityType === '' ? [] : [entityType];
  const about = { kind: 'fact', title: name.trim() === '' ? 'entity' : name, tags, episode: episodeOf(name) };
  const facts = observations.length === 0 ? [`${name} is a ${entityType}.`] : observations;
  return facts.map((content) => ({ ...about, content }));
}

function readRelation({ from, to, relationType }: z.output<typeof officialRelation>): object {
  const content = `${from} ${relationType.replace(/_/g, ' ')} ${to}`;
  return {
    kind: 'fact',
    title: from.trim() === '' ? 'relation' : from,
    content,
    tags: ['relation'],
    episode: episodeOf(from),
  };
}

function episodeOf(entity: string): string {
  return `entity ${entity}`.slice(0, 200);
}
