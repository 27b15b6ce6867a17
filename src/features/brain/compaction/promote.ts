import { sameTextKey } from '../../../kernel/same-text.ts';
import { rewriteMemory } from '../frontmatter.ts';
import { type VaultMemory, toIso } from '../memory.ts';
import { MAX_CONTENT, placeFor, slugOf } from '../rules.ts';
import type { Item, Model, Planned } from './model.ts';
import { isPrunable } from './prune.ts';

/**
 * Facts that proved useful, or that episode after episode repeats, become part of an entity, each with its source.
 * A fact that any entity states already is not promoted again, which is also why a second run finds nothing to do.
 */
export function planPromotion(model: Model): Planned[] {
  const entities = lastingEntities(model);
  const known = new Set(entities.flatMap(({ memory }) => factsOf(memory).map(({ key }) => key)));
  const episodes = model.sorted().filter(({ memory }) => memory.type === 'episode');
  const recurrence = countSources(episodes);
  const byTarget = new Map<string, Promotion>();
  for (const item of episodes) {
    const isUseful = model.scoreOf(item) > model.strategy.promote_threshold;
    for (const fact of factsOf(item.memory)) {
      if (
        known.has(fact.key) ||
        !(isUseful || recurrence.get(fact.key)!.size >= model.strategy.promote_recurrence)
      )
        continue;
      const target = targetOf(model, entities, { episode: item.memory, fact: fact.text });
      if (!target) continue;
      known.add(fact.key);
      const promotion = byTarget.get(target.path) ?? { target, facts: [], from: new Set(), score: 0 };
      promotion.facts.push(fact);
      promotion.from.add(item.memory.id);
      promotion.score = Math.max(promotion.score, model.scoreOf(item));
      byTarget.set(target.path, promotion);
    }
  }
  return [...byTarget.values()].map((promotion) => promote(model, promotion));
}

/** Entities that the pruning to come will leave: what is about to go neither knows a fact nor gets one. */
function lastingEntities(model: Model): Item[] {
  const isLasting = (item: Item) =>
    !isPrunable({ memory: item.memory, score: model.scoreOf(item) }, model.now, model.strategy);
  return model.sorted().filter((item) => item.memory.type === 'entity' && isLasting(item));
}

type Fact = Readonly<{ text: string; key: string; source: string }>;
type Target = Readonly<{ id: string; path: string; category: string; name: string; item?: Item }>;
type Promotion = { target: Target; facts: Fact[]; from: Set<string>; score: number };

const BULLET = /^[ \t]*[-*+][ \t]+(?!\[[ xX]\])(.+)$/;
const SOURCE = /^<!-- source: (\S+) -->$/;
const PROVENANCE = /\s*\(from [^()\s]+\)$/;
/** A fact is a line, not an essay. */
const LONGEST = 1_000;
const NOT_A_FACT = /\?$|^(?:todo|fixme|action|next|open)\b/i;

/** Bullets that state something. In a merged episode each keeps the source it came from. */
function factsOf(memory: VaultMemory): Fact[] {
  const facts: Fact[] = [];
  let source = memory.id;
  for (const line of memory.body.split('\n')) {
    source = SOURCE.exec(line.trim())?.[1] ?? source;
    const text = BULLET.exec(line)?.[1]?.trim().replace(PROVENANCE, '');
    if (text === undefined || text.length <= 10 || text.length > LONGEST || NOT_A_FACT.test(text)) continue;
    facts.push({ text, source, key: sameTextKey(text) });
  }
  return facts;
}

function countSources(episodes: readonly Item[]): Map<string, Set<string>> {
  const sources = new Map<string, Set<string>>();
  for (const { memory } of episodes) {
    for (const { key, source } of factsOf(memory))
      sources.set(key, (sources.get(key) ?? new Set()).add(source));
  }
  return sources;
}

/** The entity the fact speaks of, else the one its episode is tagged with, else a new one for the topic, unless such a one was archived. */
function targetOf(
  model: Model,
  entities: readonly Item[],
  { episode, fact }: Readonly<{ episode: VaultMemory; fact: string }>,
): Target | undefined {
  const words = new Set(
    fact
      .normalize('NFKD')
      .toLowerCase()
      .replace(/\p{M}/gu, '')
      .split(/[^a-z0-9]+/),
  );
  const open = entities.filter(({ memory }) => memory.body.length < MAX_CONTENT - LONGEST);
  const named = open
    .filter(({ memory }) =>
      slugOf(memory.name)
        .split('-')
        .every((word) => words.has(word)),
    )
    .toSorted((a, b) => b.memory.name.length - a.memory.name.length)[0];
  const tagged = open.find(({ memory }) => episode.tags.includes(slugOf(memory.name)));
  const found = named ?? tagged;
  if (found) return { ...found.memory, item: found };
  const name = slugOf(episode.tags[0] ?? '') || slugOf(episode.name);
  const place = placeFor({ type: 'entity', category: 'projects', name });
  return model.isTaken(place) || model.wasArchived(place.path)
    ? undefined
    : { ...place, category: 'projects', name };
}

function promote(model: Model, { target, facts, from, score }: Promotion): Planned {
  const lines = facts.map(({ text, source }) => `- ${text} (from ${source})`);
  const planned = target.item ? append(model, target.item, lines) : create(model, target, { lines, score });
  const what = facts.length === 1 ? 'fact' : `${facts.length} facts`;
  const where = from.size === 1 ? 'episode' : `${from.size} episodes`;
  return {
    action: 'promote',
    targets: [target.id, ...from],
    count: facts.length,
    ...planned,
    details: `Promoted ${what} from ${where} to entity '${target.category}/${target.name}'`,
  };
}

function append(model: Model, item: Item, lines: readonly string[]) {
  const body = addToSection(item.memory.body, lines);
  return model.rewrite(item, rewriteMemory(item.text, body, toIso(model.now)), body);
}

function create(
  model: Model,
  { id, path, category, name }: Target,
  { lines, score }: Readonly<{ lines: readonly string[]; score: number }>,
) {
  const { now } = model;
  const body = `# ${name.replace(/-/g, ' ')}\n\n## Learned\n\n${lines.join('\n')}`;
  const memory: VaultMemory = {
    id,
    path,
    type: 'entity',
    category,
    name,
    tags: ['promoted'],
    body,
    pinned: false,
    createdAt: now,
    updatedAt: now,
  };
  const credit = {
    score: Math.max(model.strategy.initial_score, score),
    accessCount: 0,
    createdAt: now,
    lastAccessed: now,
  };
  return model.add(memory, [], credit);
}

/** At the end of `## Learned`, which is made when there is none. */
function addToSection(body: string, lines: readonly string[]): string {
  const heading = /^## Learned[ \t]*$/m.exec(body);
  if (!heading) return `${body.trimEnd()}\n\n## Learned\n\n${lines.join('\n')}`;
  const start = heading.index + heading[0].length;
  const next = /^#{1,2} /m.exec(body.slice(start));
  const end = next ? start + next.index : body.length;
  const rest = body.slice(end);
  return `${body.slice(0, end).trimEnd()}\n${lines.join('\n')}${rest === '' ? '' : `\n\n${rest}`}`;
}
