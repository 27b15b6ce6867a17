// Checks on their own and what they found: run, shown, and compared with the audit.
import type { Config } from '../../../kernel/config.ts';
import { HubError } from '../../../kernel/errors.ts';
import { findCommit } from '../../../kernel/git/merge.ts';
import { landSettingsOf } from '../../../kernel/land-settings.ts';
import { seesTeam } from '../../../kernel/principal.ts';
import type { Acting, Call } from '../../../store/calls.ts';
import type { Database } from '../../../store/database.ts';
import type { Broker } from '../../broker/broker.ts';
import { definitionAt, findTarget } from './definition-at.ts';
import type { CheckEvidence } from '../landing-shapes.ts';
import { presentEvidence } from '../present.ts';
import { digestOf, type Prover } from './prove.ts';
import { inRepository } from '../repository.ts';
import { allEvidence, evidenceAtCommit, evidenceOf, landingById, type StoredEvidence } from '../rows.ts';
import { targetOf, type LandPlaces } from '../ask/land-places.ts';

type EvidenceParts = Readonly<{
  db: Database;
  acting: Acting;
  broker: Broker;
  config: Config;
  prover: Prover;
  where: LandPlaces;
}>;

type CheckRequest = Readonly<{
  check: string;
  commit: string;
  folder?: string | undefined;
  signal: AbortSignal;
}>;

export function createEvidence({ db, acting, broker, config, prover, where }: EvidenceParts) {
  return {
    async checks(call: Call, folder: string | undefined) {
      const repository = await where.repositoryOf(call.who, null, folder);
      const { target, tip } = await targetOf(repository);
      const { checks } = await definitionAt(repository, tip);
      return { repository, project: await where.projectAt(repository), target, tip, checks };
    },

    async runCheck(
      call: Call,
      { check: name, commit: given, folder, signal }: CheckRequest,
    ): Promise<CheckEvidence> {
      const { repository, project, tip, checks } = await this.checks(call, folder);
      const check = checks.find((each) => each.name === name);
      if (!check)
        throw new HubError('not_found', `There is no check ${name}.`, {
          hint: `There are: ${checks.map((each) => each.name).join(', ') || 'none'}.`,
        });
      const commit = await inRepository(repository, (git) => findCommit(git, given));
      if (commit === undefined)
        throw new HubError('not_found', `There is no commit ${given}.`, { commit: given });
      const isUnconfinedAllowed = landSettingsOf(config.land, project).unconfined;
      const proof = {
        project,
        repository,
        commit,
        target: tip,
        check,
        isUnconfinedAllowed,
        signal,
      };
      return presentEvidence(await prover.prove(proof));
    },

    /** Every required check of the target on a commit, each on its own; nothing where no target says what has to hold. */
    async proveHead(repository: string, commit: string, signal: AbortSignal): Promise<void> {
      const found = await findTarget(repository);
      if (!found) return;
      const project = await where.projectAt(repository);
      const { checks } = await definitionAt(repository, found.tip);
      const isUnconfinedAllowed = landSettingsOf(config.land, project).unconfined;
      for (const check of checks.filter(({ required }) => required))
        await prover.prove({
          project,
          repository,
          commit,
          target: found.tip,
          check,
          isUnconfinedAllowed,
          signal,
        });
    },

    /** What is known of a commit, the newest of each check. */
    evidenceAt: (commit: string): Promise<CheckEvidence[]> =>
      db.read(async (q) => {
        const newest = new Map((await evidenceAtCommit(q, commit)).map((one) => [one.checkName, one]));
        return [...newest.values()].map(presentEvidence);
      }),

    /** One piece by its id, or all that a landing stands on by the id of that: commits name it. */
    evidence: (call: Call, id: string): Promise<CheckEvidence[]> =>
      acting.look(call, async (q, { who }) => {
        const ids = (await landingById(q, id))?.evidence ?? [id];
        const found = await evidenceOf(q, [...ids, id]);
        const seen = found.filter(({ project }) => seesTeam(who, project));
        if (seen.length > 0) return seen.map(presentEvidence);
        throw new HubError('not_found', `not found: evidence ${id}`);
      }),

    /** Every row against its own digest, that against the audit, and the chain of the audit itself. */
    async verify(call: Call) {
      const { wrong, checked } = await acting.look(call, async (q) => {
        const { digests, since } = await broker.at(q, { who: call.who }).attested('check:');
        const rows = await allEvidence(q);
        const isWrong = ({ digest, ...row }: StoredEvidence) => {
          const said = digests.get(row.id);
          // Retention takes the oldest words of the audit; of what is younger none may be missing.
          return digestOf(row) !== digest || (said === undefined ? row.createdAt > since : said !== digest);
        };
        const there = new Set(rows.map(({ id }) => id));
        const gone = [...digests.keys()].filter((id) => !there.has(id));
        const bad = rows.filter(isWrong).map(({ id }) => id);
        return { wrong: [...bad, ...gone], checked: rows.length };
      });
      const { ok } = await broker.audit.verify(undefined);
      return { ok: ok && wrong.length === 0, checked, wrong, audit: ok };
    },
  };
}
