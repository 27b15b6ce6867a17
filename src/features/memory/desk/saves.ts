// What is written down: facts and procedures, their successors, and that they are forgotten.
import { HubError } from '../../../kernel/errors.ts';
import type { Principal } from '../../../kernel/principal.ts';
import { type Call, callerOf } from '../../../store/calls.ts';
import { contradictionsOf, factsNear, toContradictions } from '../contradictions.ts';
import { merge, type Merging } from '../duplicates.ts';
import type { Saved } from '../fact.ts';
import { type MemoryWriter, notFound, type SavedFact, saveFact, saveProcedure } from '../facts.ts';
import type * as input from '../inputs.ts';
import { forget, forgetProcedure, type Forgotten, type Replacement, supersede } from '../lifecycle.ts';
import type { ExchangeRecord } from '../record.ts';
import * as rows from '../rows/facts.ts';
import * as procedureRows from '../rows/procedures.ts';
import { listWithheld } from '../rows/withheld.ts';
import { sightOf } from '../rules.ts';
import { type ImportCounts, importRecords } from '../transfer.ts';
import { toDetail, toProcedure, toSaved } from '../views.ts';
import { forgetWithheld, restore, withhold, withholdProcedure } from '../withheld.ts';
import { type DeskParts, everything, type DeskGround, type Sent } from './ground.ts';

export function savesOf(ground: DeskGround, { facts, uses, readers }: DeskParts) {
  const { db, via, surface, change, look, take, takeNames, detailOf } = ground;

  /** The answer to a save, with the facts that say nearly the same and what differs, and those that disagree. */
  async function offer(who: Principal, saved: SavedFact): Promise<Saved> {
    const { similar, near } = await look(async (q) => ({
      similar: saved.similar.length === 0 ? [] : await rows.factsByIds(q, everything, saved.similar),
      near: saved.duplicate ? [] : await factsNear(q, saved.fact),
    }));
    const against = await contradictionsOf(saved.fact, near);
    // Who is told what others say decides by it, and hears when it turns out to be wrong.
    readers?.gave(
      who,
      [...similar, ...against.map(({ other }) => other)].map(({ id }) => id),
    );
    return { ...toSaved(saved, similar), ...toContradictions(saved.fact, against) };
  }

  return {
    async save(who: Principal, args: Sent<typeof input.saveShape>): Promise<Saved> {
      const source = args.source ?? surface;
      const asker = { who, via, folder: args.folder };
      const taken = await take(asker, args.cites, `${args.title ?? ''}\n${args.content}`);
      if (args.procedureName !== undefined) {
        const procedure = { ...args, name: args.procedureName, source, taken };
        const { id } = await change({ who, name: 'memory_save', args }, async (writer) => ({
          id: (await saveProcedure(writer, procedure)).id,
        }));
        const stored = await look((q) => procedureRows.procedureById(q, everything, id));
        if (!stored) throw notFound(id);
        return { saved: 'procedure', procedure: toProcedure(stored) };
      }
      const { title } = args;
      if (title === undefined || title.trim() === '')
        throw new HubError('invalid', 'a fact requires a title (or set procedureName for a procedure)');
      const fact = { ...args, title, tags: args.tags ?? [], source, taken };
      if (args.idempotencyKey === undefined) {
        const saved = await change({ who, name: 'memory_save' }, (writer) => saveFact(writer, fact));
        takeNames(asker, saved);
        return offer(who, saved);
      }
      // An answer kept for repetition must not keep text that may be forgotten, so only ids are kept.
      const kept = await change({ who, name: 'memory_save', args }, async (writer) => {
        const saved = await saveFact(writer, fact);
        return { id: saved.fact.id, duplicate: saved.duplicate, similar: [...saved.similar] };
      });
      const stored = await look((q) => rows.factById(q, everything, kept.id));
      if (!stored) throw notFound(kept.id);
      takeNames(asker, { ...kept, fact: stored });
      return offer(who, { ...kept, fact: stored });
    },

    async supersede(
      who: Principal,
      args: Omit<Replacement, 'source' | 'taken'> &
        Readonly<{
          source?: string | undefined;
          idempotencyKey?: string | undefined;
          cites?: readonly string[] | undefined;
          folder?: string | undefined;
        }>,
    ) {
      const asker = { who, via, folder: args.folder };
      const taken = await take(asker, args.cites, `${args.title ?? ''}\n${args.content}`);
      const { id } = await change({ who, name: 'memory_supersede', args }, async (writer) => {
        const saved = await supersede(writer, { ...args, source: args.source ?? surface, taken });
        return { id: saved.fact.id };
      });
      const [fact, superseded] = await look(async (q) => [
        await rows.factById(q, everything, id),
        await rows.factById(q, everything, args.id),
      ]);
      if (!fact || !superseded) throw notFound(args.id);
      uses?.took(who, { ...superseded, number: fact.number });
      return { fact: await detailOf(asker, fact), superseded: toDetail(superseded) };
    },

    async merge(who: Principal, args: Omit<Merging, 'source' | 'taken'>) {
      const taken = await take({ who, via }, undefined, `${args.title ?? ''}\n${args.content}`);
      const { id } = await change({ who, name: 'merge' }, async (writer) => {
        const saved = await merge(writer, { ...args, source: surface, taken });
        return { id: saved.fact.id };
      });
      const fact = await look((q) => rows.factById(q, everything, id));
      if (!fact) throw notFound(id);
      return { fact: toDetail(fact) };
    },

    /** For good, as an agent's is; a person's can be taken back for a day, unless it is to be `now`. */
    async forget(
      who: Principal,
      id: string,
      isNow = false,
    ): Promise<{ forgotten: string[]; until?: number }> {
      const { isPerson } = callerOf({ who, via });
      const isFact = await look((q) => rows.factById(q, sightOf(who, {}), id));
      const unit = async (writer: MemoryWriter): Promise<Forgotten & { until?: number }> => {
        const withheld = isPerson && isNow && !isFact ? await forgetWithheld(writer.tx, id) : undefined;
        if (withheld) return { forgotten: withheld };
        if (isPerson && !isNow) return isFact ? withhold(writer, id) : withholdProcedure(writer, id);
        return isFact ? forget(writer, id) : forgetProcedure(writer, id);
      };
      const { forgotten, until } = await change({ who, name: 'memory_forget' }, unit);
      return { forgotten: [...forgotten], ...(until !== undefined && { until }) };
    },

    async restore(who: Principal, id: string): Promise<{ restored: string[] }> {
      requirePerson(who, via);
      const { restored } = await change({ who, name: 'restore' }, (writer) => restore(writer, id));
      return { restored: [...restored] };
    },

    async withheld(who: Principal) {
      requirePerson(who, via);
      return { withheld: await look((q) => listWithheld(q, db.now())) };
    },

    importRecords: (
      who: Principal,
      records: readonly ExchangeRecord[],
      source: string,
    ): Promise<ImportCounts> =>
      change({ who, name: 'import' }, (writer) => importRecords(writer, facts, { records, source })),
  };
}

/** What is withheld is a person's own: nobody else learns that it is there. */
function requirePerson(who: Principal, via: Call['via']): void {
  if (callerOf({ who, via }).isPerson) return;
  throw new HubError('forbidden', 'Only a person takes back what a person forgot.');
}
