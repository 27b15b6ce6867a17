// Whether it still holds: confirmed, refuted, or looked up in the code that it cites.
import { HubError } from '../../../kernel/errors.ts';
import type { Principal } from '../../../kernel/principal.ts';
import { actorOf, callerOf } from '../../../store/calls.ts';
import { notFound } from '../facts.ts';
import { knocksOfRefuted } from '../knock-refuted.ts';
import * as rows from '../rows/facts.ts';
import * as procedureRows from '../rows/procedures.ts';
import { fullSightOf, type ScopeArgs, sightOf } from '../rules.ts';
import { confirmFact, confirmProcedure, refuteFact, type Refuting } from '../verdicts.ts';
import { toDetail, toFact } from '../views.ts';
import { type DeskParts, everything, type DeskGround } from './ground.ts';

/** So many of what cites something are looked up in one request. */
const CHECKED = 100;
const VERSIONS = 'procedures:';

export function verdictsOf(ground: DeskGround, { citing, readers, knocks }: DeskParts) {
  const { db, via, change, look, standing } = ground;
  return {
    /** It holds, says whoever asks; what it cites is taken anew from their files. */
    async confirm(who: Principal, id: string, folder?: string) {
      const asker = { who, via, folder };
      const sight = fullSightOf(who);
      const [fact, version] = await look(async (q) => [
        await rows.factById(q, sight, id),
        await procedureRows.procedureById(q, sight, id),
      ]);
      const known = fact ?? version;
      if (!known) throw notFound(id);
      const cites = known.cites && ((await citing?.retake(asker, known.cites)) ?? known.cites);
      await change({ who, name: 'memory_confirm' }, (writer) =>
        fact ? confirmFact(writer, { id, cites }) : confirmProcedure(writer, { id, cites }),
      );
      const [shown] = cites
        ? ((await citing?.check(asker, [cites])) ?? (await standing(asker, [cites])))
        : [];
      const actor = actorOf(callerOf({ who, via })).id;
      return { id, confirmed: { by: actor, at: db.now() }, ...(shown && { cites: [...shown] }) };
    },

    async refute(who: Principal, refuting: Refuting) {
      const { id } = refuting;
      const isVersion = await look((q) => procedureRows.procedureById(q, fullSightOf(who), id));
      if (isVersion)
        throw new HubError('invalid', `${id} is a version of the procedure ${isVersion.name}.`, {
          hint: 'Save a better version with memory_save, or forget this one.',
        });
      await readers?.flush();
      const { copies, told } = await change({ who, name: 'memory_refute' }, (writer) =>
        refuteFact(writer, refuting, readers),
      );
      const { refuted, same } = await look(async (q) => ({
        refuted: await rows.factById(q, everything, id),
        same: copies.length === 0 ? [] : await rows.factsByIds(q, everything, copies),
      }));
      if (!refuted) throw notFound(id);
      if (readers && knocks) {
        const by = { who, isPerson: callerOf({ who, via }).isPerson };
        for (const knock of knocksOfRefuted({ fact: refuted, readers: told, by }, readers))
          knocks.knock(knock);
      }
      return {
        fact: toDetail(refuted),
        told: told.length,
        ...(same.length > 0 && { copies: same.map(toFact) }),
      };
    },

    /** Everything in sight that cites something, with how that stands; a page at a time. */
    async check(
      who: Principal,
      {
        after = '',
        folder,
        ...args
      }: ScopeArgs & Readonly<{ after?: string | undefined; folder?: string | undefined }>,
    ) {
      const sight = sightOf(who, args);
      const isFacts = !after.startsWith(VERSIONS);
      const { items, next } = await look(async (q) => {
        if (isFacts) {
          const page = await rows.citingFacts(q, sight, { limit: CHECKED, after });
          return { items: page.facts, next: page.last ?? VERSIONS };
        }
        const page = { limit: CHECKED, after: after.slice(VERSIONS.length) };
        const versions = await procedureRows.citingProcedures(q, sight, page);
        return { items: versions, next: versions.length < CHECKED ? null : VERSIONS + versions.at(-1)!.id };
      });
      const asker = { who, via, folder };
      const lists = items.map(({ cites }) => cites ?? []);
      const standings = (await citing?.check(asker, lists)) ?? (await standing(asker, lists));
      return {
        checked: items.map((item, i) => ({
          id: item.id,
          kind: 'name' in item ? ('procedure' as const) : ('fact' as const),
          title: 'name' in item ? item.name : item.title,
          cites: [...standings[i]!],
        })),
        next,
      };
    },
  };
}
