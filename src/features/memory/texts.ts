import type { ReadTexts } from '../../recall/recall.ts';
import { SPACE } from './rules.ts';
import * as rows from './rows/facts.ts';

/** What is embedded of a fact: its title and its content, read at the last moment, so that what was forgotten is not sent out. */
export const factTexts: ReadTexts = async (q, numbers) => {
  const facts = await rows.factsByNumbers(
    q,
    { space: SPACE, tenant: undefined, team: undefined, agent: undefined },
    numbers,
  );
  return new Map(facts.map((fact) => [fact.number, `${fact.title}\n${fact.content}`]));
};
