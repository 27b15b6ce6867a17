import type { Log } from '../../kernel/log.ts';
import { type ReadItemTexts, startReindexing } from '../../recall/recall.ts';
import type { Running } from '../../store/consumers.ts';
import type { Database } from '../../store/database.ts';
import { fileOlderProcedures } from './file-procedures.ts';
import { SPACE } from './rules.ts';
import * as rows from './rows/facts.ts';
import * as procedureRows from './rows/procedures.ts';

const everything = { space: SPACE, tenant: undefined, team: undefined, agent: undefined };

const texts: ReadItemTexts = async (q, numbers) => {
  const facts = await rows.factsByNumbers(q, everything, numbers);
  const procedures = await procedureRows.proceduresByNumbers(q, everything, numbers);
  return new Map([
    ...facts.map((fact) => [fact.number, fact] as const),
    ...procedures.map(
      ({ number, procedure }) => [number, { title: procedure.name, content: procedure.content }] as const,
    ),
  ]);
};

/** Brings what an older hub saved up to date, while it can be searched. */
export function startMemoryReindexing(hub: Readonly<{ db: Database; holder: string; log: Log }>): Running {
  return startReindexing({
    ...hub,
    space: SPACE,
    texts,
    hasMore: async (q) => (await procedureRows.unfiledVersions(q, 1)).length > 0,
    fileMore: fileOlderProcedures,
  });
}
