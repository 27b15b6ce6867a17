// `update_memory`: the documents of a Being, ten targets and four actions, each in one transaction.
import { dayOf, isDay } from '../../kernel/day.ts';
import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { excerpt } from '../../kernel/redact.ts';
import { readInbox, sendMail } from './mail.ts';
import { changeNote, listNotes } from './notes.ts';
import { clean, type Mind, takeTurn, tell } from './parts.ts';
import { keepPast } from './past.ts';
import { countDocs, deleteDoc, docByKey, docsOf, type DocRow, putDoc } from './rows/docs.ts';
import { deletePast } from './rows/past.ts';
import type { Held } from './rows/whose.ts';
import type { Said, updateShape } from './shapes.ts';
import { type Action, LIMITS, notFound, SOUL_FIELDS, type Target, THOUGHTS } from './rules.ts';

type Request = Said<typeof updateShape>;

export type DocumentOutcome = Readonly<{ success: true; message: string } & Record<string, unknown>>;

type DocTarget = Exclude<Target, 'notes' | 'party_message'>;

/** How each kind of document is kept. Its own word for a key is part of every refusal. */
type Rule = Readonly<{
  stored: string;
  keyIs: string;
  can: readonly Action[];
  /** The key of an `append` that names none; absent: it must name one. */
  keyFrom?(content: string, now: number): string;
  joins?: true;
  isSealed?: true;
}>;

const RULES: Readonly<Record<DocTarget, Rule>> = {
  preferences: {
    stored: 'preferences',
    keyIs: 'a name',
    can: ['get', 'append', 'update', 'delete'],
    keyFrom: (text) => firstOf(text, 50),
    joins: true,
  },
  knowledge: {
    stored: 'knowledge',
    keyIs: 'a title',
    can: ['get', 'append', 'update', 'delete'],
    keyFrom: (text) => firstOf(text, 80),
    joins: true,
  },
  relationship: {
    stored: 'relationship',
    keyIs: "a person's name",
    can: ['get', 'append', 'update', 'delete'],
    keyFrom: () => 'unknown',
    joins: true,
  },
  partner_tools: {
    stored: 'partner_tools',
    keyIs: 'a title',
    can: ['get', 'append', 'update', 'delete'],
    // Titles are shown: nothing of a secret may stand in one, and no two secrets share one.
    keyFrom: () => `untitled-${newId().slice(-8)}`,
    isSealed: true,
  },
  partner_map: {
    stored: 'partner_map',
    keyIs: 'a title',
    can: ['get', 'append', 'update', 'delete'],
    keyFrom: (text) => firstOf(text, 80),
  },
  diary: {
    stored: 'diary',
    keyIs: 'a date (YYYY-MM-DD)',
    can: ['get', 'append', 'update', 'delete'],
    keyFrom: (_, now) => dayOf(now),
    joins: true,
  },
  partner_rules: {
    stored: 'partner_rules',
    keyIs: 'the id of a rule',
    can: ['get', 'append', 'update', 'delete'],
    keyFrom: () => newId(),
  },
  souls: { stored: 'soul', keyIs: 'a field of the soul', can: ['get', 'update'] },
};

const MAX_JOINED = 64_000;
const MAX_DOCS = 5_000;
const DIARY_DAYS = 7;

/** `update_memory`: ten targets, four actions. One transaction, whatever it does. */
export async function updateMemory(self: Mind, request: Request): Promise<DocumentOutcome> {
  const { target, action } = request;
  refuseStrays(request);
  if (action !== 'get') await takeTurn(self);
  const outcome = await dispatch(self, request);
  if (action !== 'get') tell(self, 'memory_updated', { target, action });
  return outcome;
}

function dispatch(self: Mind, request: Request): Promise<DocumentOutcome> {
  const { target, action } = request;
  if (target === 'party_message') return partyMessage(self, request);
  if (target === 'notes') return notes(self, request);
  const rule = RULES[target];
  if (!rule.can.includes(action)) throw unsupported(target, action, rule.can);
  const written = { ...request, target, rule };
  if (action === 'get') return get(self, written);
  if (action === 'append') return append(self, written);
  return action === 'update' ? update(self, written) : remove(self, written);
}

type Asked = Readonly<{ target: DocTarget; rule: Rule; key?: string | undefined }>;
type Written = Asked & Pick<Request, 'content' | 'location'>;

async function get(self: Mind, { target, rule, key }: Asked): Promise<DocumentOutcome> {
  if (key !== undefined) {
    const row = await docByKey(self, { target: rule.stored, key });
    if (!row) throw notFound(`${target} entry`, key);
    return { success: true, message: `${target}: ${key}`, entries: [shown(self, row, rule)] };
  }
  const rows = (await docsOf(self, rule.stored)).filter(
    ({ key: field }) => target !== 'souls' || field !== THOUGHTS,
  );
  const wanted = target === 'diary' ? rows.slice(-DIARY_DAYS).toReversed() : rows;
  return {
    success: true,
    message: `${wanted.length} entries`,
    entries: wanted.map((row) => shown(self, row, rule)),
  };
}

async function append(
  self: Mind,
  { target, rule, content, location, key }: Written,
): Promise<DocumentOutcome> {
  const text = textFor(target, rule, content);
  if (target === 'partner_rules') return appendRule(self, text, key);
  const name = keyFor(target, rule, key ?? rule.keyFrom?.(text, self.tx.now));
  const before = await docByKey(self, { target: rule.stored, key: name });
  const joined = rule.joins && before ? `${before.content}\n\n${text}` : text;
  if (joined.length > MAX_JOINED) throw full(target, name);
  await put(self, {
    rule,
    key: name,
    content: joined,
    location,
    before: rule.joins ? undefined : before,
  });
  if (!before || rule.joins)
    return { success: true, message: before ? `added to ${name}` : `saved ${name}`, key: name };
  // One entry per key: it is replaced, which must be said. What a secret was is not repeated.
  const change = rule.isSealed ? { replaced: true } : { replaced: true, before: before.content, after: text };
  return { success: true, message: `replaced ${name}`, key: name, ...change };
}

const RULE_SHAPE = /^\[([^\]\n]{1,80})\]\s*([^:\n]{1,200}):\s*([\s\S]+)$/;

async function appendRule(self: Held, text: string, key: string | undefined): Promise<DocumentOutcome> {
  const [, category, title, body] = RULE_SHAPE.exec(text) ?? [];
  if (!category || !title || !body) {
    throw new HubError('invalid', 'a rule must be written as `[category] title: body`', {
      target: 'partner_rules',
    });
  }
  if (key !== undefined)
    throw new HubError('invalid', 'a new rule gets its own id; leave key out, or use update');
  await refuseTooMany(self);
  const id = newId();
  const meta = JSON.stringify({ category: category.trim(), title: title.trim() });
  await putDoc(self, { target: 'partner_rules', key: id, content: body.trim(), meta });
  return { success: true, message: `rule saved: ${title.trim()}`, key: id };
}

async function update(
  self: Mind,
  { target, rule, content, location, key }: Written,
): Promise<DocumentOutcome> {
  const name = keyFor(target, rule, key);
  const text = textFor(target, rule, content);
  const before = await docByKey(self, { target: rule.stored, key: name });
  if (!before && target === 'partner_rules') throw notFound('rule', name);
  await put(self, { rule, key: name, content: text, location, before });
  // A secret that was replaced is not repeated.
  const change = rule.isSealed
    ? before && { replaced: true }
    : { before: before?.content ?? null, after: text };
  return { success: true, message: before ? `updated ${name}` : `saved ${name}`, key: name, ...change };
}

async function remove(self: Held, { target, rule, key }: Asked): Promise<DocumentOutcome> {
  const name = keyFor(target, rule, key);
  if ((await deleteDoc(self, { target: rule.stored, key: name })) === 0)
    throw notFound(`${target} entry`, name);
  await deletePast(self, { target: rule.stored, name });
  return { success: true, message: `deleted ${name}`, key: name };
}

type Put = Readonly<{
  rule: Rule;
  key: string;
  content: string;
  location?: string | undefined;
  before: DocRow | undefined;
}>;

async function put(self: Mind, { rule, key, content, location, before }: Put): Promise<void> {
  await refuseTooMany(self);
  const isOther = location !== undefined && location !== before?.location;
  if (before && (content !== before.content || isOther))
    await keepPast(self, { ...before, name: key, target: rule.stored });
  const stored = rule.isSealed
    ? self.sealing.seal(content, sealContext(self.being, rule.stored, key))
    : content;
  const where = location === undefined ? null : clean(location, 'location', 1_000);
  await putDoc(self, { target: rule.stored, key, content: stored, location: where });
}

async function refuseTooMany(self: Held): Promise<void> {
  if ((await countDocs(self)) >= MAX_DOCS)
    throw new HubError('limited', `A Being has at most ${MAX_DOCS} entries.`);
}

/** Under which names secrets lie. */
export const SEALED: readonly string[] = Object.values(RULES)
  .filter(({ isSealed }) => isSealed)
  .map(({ stored }) => stored);

/** Kept as a secret between a Being and its partner. `stored`: under which name a document lies. */
export function isSealedTarget(stored: string): boolean {
  return SEALED.includes(stored);
}

export function sealContext(being: string, target: string, key: string): readonly string[] {
  return [being, target, key];
}

function shown({ sealing, being }: Mind, row: DocRow, rule: Rule): Record<string, unknown> {
  return {
    key: row.key,
    content: rule.isSealed
      ? sealing.open(row.content, sealContext(being, rule.stored, row.key))
      : row.content,
    ...(row.location !== null && { location: row.location }),
    ...(row.meta !== null && (JSON.parse(row.meta) as object)),
    updated_at: new Date(row.updatedAt).toISOString(),
  };
}

function textFor(target: DocTarget, { isSealed }: Rule, content: string | undefined): string {
  if (content === undefined) throw new HubError('invalid', `content is required to write ${target}`);
  if (!isSealed) return clean(content, 'content');
  // A secret is what this target is for: kept as it is, and sealed.
  if (content.trim() === '' || content.length > LIMITS.text)
    throw new HubError('invalid', 'content must be 1 to 16000 characters');
  return content.toWellFormed();
}

function keyFor(target: DocTarget, { keyIs }: Rule, key: string | undefined): string {
  if (key === undefined || key.trim() === '')
    throw new HubError('invalid', `key is required for ${target}: ${keyIs}`);
  const name = clean(key, 'key', LIMITS.name);
  if (target === 'diary' && !isDay(name))
    throw new HubError('invalid', `key must be an existing date as YYYY-MM-DD, got ${excerpt(name, 40)}`);
  if (target === 'souls' && name !== 'name' && !(SOUL_FIELDS as readonly string[]).includes(name)) {
    throw new HubError('invalid', `key must be one of ${SOUL_FIELDS.join(', ')}, got ${excerpt(name, 40)}`);
  }
  if (target === 'souls' && name === 'name')
    throw new HubError('invalid', 'the name of a Being is set by its owner');
  return name;
}

/** An argument that means nothing here is a misunderstanding, not noise. */
function refuseStrays({ target, location, to }: Request): void {
  if (to !== undefined && target !== 'party_message')
    throw new HubError('invalid', `to is for party_message only, not for ${target}`);
  if (location !== undefined && target !== 'partner_map')
    throw new HubError('invalid', `location is for partner_map only, not for ${target}`);
}

async function partyMessage(self: Held, { action, content, to }: Request): Promise<DocumentOutcome> {
  if (action === 'get') return { success: true, ...(await readInbox(self)) };
  if (action !== 'append') throw unsupported('party_message', action, ['get', 'append']);
  if (to === undefined)
    throw new HubError('invalid', 'to is required: the name of the partner the message is for');
  if (content === undefined) throw new HubError('invalid', 'content is required: what the message says');
  return { success: true, ...(await sendMail(self, { to, content })) };
}

async function notes(self: Held, { action, content, key }: Request): Promise<DocumentOutcome> {
  if (action === 'get') return { success: true, ...(await listNotes(self, key)) };
  return { success: true, ...(await changeNote(self, { action, content, key })) };
}

function unsupported(target: Target, action: Action, can: readonly Action[]): HubError {
  return new HubError('invalid', `${target} cannot be changed with ${action}; possible: ${can.join(', ')}`, {
    target,
    action,
  });
}

function full(target: Target, key: string): HubError {
  return new HubError(
    'too_large',
    `${target} ${key} would have more than ${MAX_JOINED} characters; replace it with update`,
    { target },
  );
}

function firstOf(text: string, count: number): string {
  return text.slice(0, count).toWellFormed().replace(/\s+/g, ' ').trim();
}
