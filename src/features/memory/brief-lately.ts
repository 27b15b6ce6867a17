// What memory tells an agent that begins: what does not hold any more, and what was given to most readers lately.
import { hasScope } from '../../kernel/principal.ts';
import type { Database } from '../../store/database.ts';
import { agoText, type AskBrief, nameIn, type BriefItem } from '../briefing/briefing.ts';
import { factsByIds, recentFacts, refutedFacts, type StoredFact } from './rows/facts.ts';
import { latestProcedures, procedureById, type StoredProcedure } from './rows/procedures.ts';
import { givenMost } from './rows/readers.ts';
import { KEPT_MS, type Readers } from './readers.ts';
import { SPACE, sightOf } from './rules.ts';

const MOST = 8;
const MOST_REFUTED = 6;
/** So many are looked at: those of other projects are among them. */
const LOOKED_AT = 200;
/** After every id. */
const LAST = '~';

export function memoryBrief(db: Database, readers: Pick<Readers, 'briefed'>): AskBrief {
  return async ({ caller: { who }, agents, team, since, now }) => {
    const onTold = (id: string) => () => void (agents.length > 0 && readers.briefed(who, id));
    if (team === undefined || !hasScope(who, 'memory:read')) return [];
    const bound = sightOf(who, { scopeTeamId: team });
    const sight = { ...bound, space: SPACE, team, agent: bound.agent ?? '' };
    return db.read(async (q) => {
      const refuted = await refutedFacts(q, sight, { since, most: MOST_REFUTED });
      const given = await givenMost(q, { since: now - KEPT_MS, most: LOOKED_AT });
      const ids = given.map(({ item }) => item);
      const known = new Map((await factsByIds(q, sight, ids)).map((fact) => [fact.id, fact]));
      const used = ids.flatMap((id) => known.get(id) ?? []).filter(({ validTo }) => validTo === null);
      const rest = await recentFacts(q, sight, { limit: MOST, before: LAST });
      const facts = [...new Map([...used, ...rest].map((fact) => [fact.id, fact])).values()];
      const procedures: StoredProcedure[] = [];
      for (const id of ids.filter((each) => !known.has(each))) {
        const found = procedures.length < MOST ? await procedureById(q, sight, id) : undefined;
        if (found) procedures.push(found);
      }
      for (const newest of await latestProcedures(q, sight, { limit: MOST, after: '' }))
        if (!procedures.some(({ name }) => name === newest.name)) procedures.push(newest);
      return [
        ...refuted.map((fact) => toRefuted(fact, now)),
        ...facts.slice(0, MOST).map((fact) => ({ ...toTold(fact), onTold: onTold(fact.id) })),
        ...procedures.slice(0, MOST).map(({ id, name, version, content }): BriefItem => ({
          kind: 'procedure',
          id,
          words: `${name}: ${content}`,
          says: `version ${version}`,
        })),
      ];
    });
  };
}

function toTold({ id, title, content }: StoredFact): BriefItem {
  return { kind: 'fact', id, words: title === content ? title : `${title}: ${content}` };
}

function toRefuted({ id, title, refutedBy, refutedWhy, refutedAt }: StoredFact, now: number): BriefItem {
  return {
    kind: 'refuted',
    id,
    words: `${title}: ${refutedWhy ?? ''}`,
    says: `by ${nameIn(refutedBy ?? 'somebody')}, ${agoText(now, refutedAt ?? now)}`,
  };
}
