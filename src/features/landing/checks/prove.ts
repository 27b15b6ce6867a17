// Proving a commit: every required check of a definition on its tree, run or known to have passed, as evidence of the hub.
import { join } from 'node:path';
import { canonicalJson } from '../../../kernel/canonical-json.ts';
import { sha256 } from '../../../kernel/digest.ts';
import { HubError } from '../../../kernel/errors.ts';
import { type Git, withGit } from '../../../kernel/git/git.ts';
import type { GitPlace } from '../../../kernel/git/place.ts';
import { newId } from '../../../kernel/ids.ts';
import { systemActor } from '../../../kernel/principal.ts';
import { commandEnvironment } from '../../../kernel/shell/environment.ts';
import type { Confinement } from '../../../kernel/shell/sandbox.ts';
import { createKeyedTurns } from '../../../kernel/turns.ts';
import { hubCaller } from '../../../store/calls.ts';
import type { Database } from '../../../store/database.ts';
import type { Broker } from '../../broker/broker.ts';
import type { CheckDefinition } from './definition.ts';
import { isChanged, keptTreeAt, layOut, lookAhead, type KeptTree } from './kept-tree.ts';
import { type CheckEnd, runCheck } from './run-check.ts';
import { evidence, hasFailed, passOf, type StoredEvidence } from '../rows.ts';
import { copySetup, isKept, keepSetup, keyFilesAt, setupKey, versionsHere } from './setups.ts';
import { repositoryAt } from '../repository.ts';
import { treeOf } from '../queue/stack.ts';

export type ProveParts = Readonly<{
  db: Database;
  broker: Broker;
  /** Where trees and set-ups are kept. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  shellEnv: readonly string[];
  hidden: readonly string[];
  confinement(): Promise<Confinement>;
}>;

type Proof = Readonly<{
  /** What the evidence is to be called, where a commit names it already. */
  id?: string | undefined;
  project: string;
  repository: string;
  commit: string;
  /** Its tree, where that is known. */
  tree?: string | undefined;
  /** What set-ups are filled from: a tree of the target. */
  target: string;
  check: CheckDefinition;
  isUnconfinedAllowed: boolean;
  /** It changes a key file: a person let it through, and nobody else uses its set-up. */
  ownSetup?: string | undefined;
  signal: AbortSignal;
}>;

export interface Prover {
  prove(proof: Proof): Promise<StoredEvidence>;
  /** Something will be proven in a moment: its tree is tidied meanwhile. */
  expect(about: Pick<Proof, 'project' | 'repository'>): Promise<void>;
}

export function createProver(parts: ProveParts): Prover {
  const { db, broker, folder, env, shellEnv, hidden } = parts;
  /** One kept tree per project: its checks take turns. */
  const inTurn = createKeyedTurns();

  async function prove(proof: Proof): Promise<StoredEvidence> {
    const { project, repository, commit, check } = proof;
    const place = await repositoryAt(repository);
    const { tree, definition } =
      proof.tree !== undefined && !check.setup
        ? { tree: proof.tree, definition: check.hash }
        : await withGit({ place }, async (git) => ({
            tree: proof.tree ?? (await treeOf(git, commit)),
            definition: await definitionOf(git, proof),
          }));
    const about = { project, checkName: check.name, tree, definition };
    const known = await db.read((q) => passOf(q, about, proof.isUnconfinedAllowed));
    if (known) {
      const { confined, exitCode, tail } = known;
      const again = {
        exitCode,
        passed: true,
        confined,
        tail,
        failing: [],
        ms: 0,
        reused: known.id,
        flaky: false,
      };
      return write({ ...about, ...again, commitId: commit }, proof.id);
    }
    const confinement = await parts.confinement();
    const confined = confinement.kind !== 'none';
    if (!confined && !proof.isUnconfinedAllowed) throw unconfined(project);
    const end = await runOften(proof, place, confinement);
    const passed = end.exit === 0;
    const isFlaky = passed && (end.tries > 1 || (await db.read((q) => hasFailed(q, about))));
    const found = {
      exitCode: end.exit,
      passed,
      confined,
      reused: null,
      flaky: isFlaky,
      ms: end.ms,
      tail: end.tail,
      failing: [...end.failing],
    };
    return write({ ...about, ...found, commitId: commit }, proof.id);
  }

  /** Again only as often as its definition says: a check is never tried until it is green. */
  async function runOften(proof: Proof, place: GitPlace, confinement: Confinement) {
    for (let tries = 1; ; tries += 1) {
      const end = await runOnce(proof, place, confinement);
      if (end.exit === 0 || tries > proof.check.retries) return { ...end, tries };
    }
  }

  const keptFor = (project: string) => keptTreeAt(join(folder, sha256(project).slice(0, 16)));

  async function runOnce(proof: Proof, place: GitPlace, confinement: Confinement): Promise<CheckEnd> {
    const { check, commit, project, signal } = proof;
    const kept = await keptFor(project);
    const store = await prepareSetup(proof, place, { kept, confinement });
    await layOut(place, kept, commit);
    if (store !== undefined) await copySetup(store, kept.files);
    const end = await runCheck({
      command: check.run,
      tree: kept.files,
      network: check.network,
      timeoutMs: check.timeout,
      junit: check.junit,
      confinement,
      env: commandEnvironment(env, shellEnv),
      hidden,
      signal,
    });
    if (end.exit === 0 && (await isChanged(place, kept)))
      return { ...end, exit: 1, tail: `${end.tail}\n[it changed files of the tree that it was to judge]` };
    return end;
  }

  type Making = Readonly<{ kept: KeptTree; confinement: Confinement }>;

  /** The folder of what the set-up left; made on a tree of the target where there is none yet. */
  async function prepareSetup(
    proof: Proof,
    place: GitPlace,
    { kept, confinement }: Making,
  ): Promise<string | undefined> {
    const { check, target, project, ownSetup, signal, commit } = proof;
    const { setup } = check;
    if (!setup) return undefined;
    const from = ownSetup === undefined ? target : commit;
    const files = await withGit({ place }, (git) => keyFilesAt(git, from, setup));
    const key = setupKey({ setup, files, versions: await versionsHere(), of: ownSetup });
    const store = join(folder, 'setups', sha256(project).slice(0, 16), key);
    if (isKept(store)) return store;
    await layOut(place, kept, from);
    const end = await runCheck({
      command: setup.run,
      tree: kept.files,
      network: setup.network,
      timeoutMs: setup.timeout,
      confinement,
      env: commandEnvironment(env, shellEnv),
      hidden,
      signal,
    });
    if (end.exit !== 0)
      throw new HubError('unavailable', `The set-up ${setup.name} failed on the target (exit ${end.exit}).`, {
        tail: end.tail.slice(-2_000),
        hint: 'Mend it on the target branch, or run it by hand there to see more.',
      });
    await keepSetup(store, kept.files, await untrackedIn(place, kept));
    return store;
  }

  async function write(
    found: Omit<StoredEvidence, 'id' | 'digest' | 'createdAt'>,
    id: string = newId(),
  ): Promise<StoredEvidence> {
    return db.write(systemActor, async (tx) => {
      const row = { ...found, id, createdAt: tx.now };
      const given = { ...row, digest: digestOf(row) };
      await evidence.insert(tx, given);
      await broker.in(tx, hubCaller).attest({
        id: given.id,
        name: `check:${given.checkName}`,
        digest: given.digest,
        passed: given.passed,
        summary: `${given.passed ? 'passed' : `exit ${given.exitCode}`} on ${given.commitId.slice(0, 12)}`,
        project: given.project,
        ms: given.ms,
      });
      tx.emit({
        kind: 'check.ran',
        subject: given.project,
        realm: 'hub',
        team: given.project,
        data: { evidenceId: given.id, check: given.checkName, commit: given.commitId, passed: given.passed },
      });
      return given;
    });
  }

  return {
    prove: (proof) => inTurn(proof.project, () => prove(proof)),
    expect: ({ project, repository }) =>
      inTurn(project, async () => lookAhead(await repositoryAt(repository), await keptFor(project))),
  };
}

/** What decides the outcome beside the tree itself. */
async function definitionOf(git: Git, { check, target, commit, ownSetup }: Proof): Promise<string> {
  if (!check.setup) return check.hash;
  const files = await keyFilesAt(git, ownSetup === undefined ? target : commit, check.setup);
  return sha256(canonicalJson({ check: check.hash, files, versions: await versionsHere() }));
}

export function digestOf({ id, ...row }: Omit<StoredEvidence, 'digest'>): string {
  const { failing, tail, ...rest } = row;
  return sha256(canonicalJson({ id, ...rest, failing: [...failing], tail }));
}

/** Whole folders where all of them is untracked, so that one is moved in a step. */
async function untrackedIn(place: GitPlace, { files, own }: KeptTree): Promise<string[]> {
  const tree = { ...place, own, top: files };
  const listed = await withGit({ place: tree, files, index: 'own' }, ({ run }) =>
    run('ls-files', '--others', '--directory', '-z'),
  );
  return listed.split('\0').filter(Boolean);
}

function unconfined(project: string): HubError {
  return new HubError(
    'unavailable',
    'Checks run code of agents, and nothing here keeps it in: bubblewrap is missing.',
    {
      retryable: false,
      hint: `Install bubblewrap (bwrap), or set land.${project}.unconfined: true in config.yaml.`,
    },
  );
}
