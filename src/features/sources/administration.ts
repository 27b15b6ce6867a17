// What persons do with sources: look, add, switch, review, take away. A source runs programs, so what changes one is for
// whoever runs the hub.
import { HubError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/loose-json.ts';
import { type Principal, requireOperator } from '../../kernel/principal.ts';
import { type Acting, byRoute, type Caller } from '../../store/calls.ts';
import type { Tx } from '../../store/database.ts';
import { findSources } from './config/import.ts';
import { digestOf, isPending } from './review/pins.ts';
import { toDecided, toPending } from './review/review.ts';
import { entrySchema, readEntry, type Trust } from './config/settings.ts';
import type { Source, Sources } from './sources.ts';
import { toDetail, toView } from './views.ts';

type Chosen = Readonly<{ name: string; tools: readonly string[]; digest?: string | undefined }>;

type Texts = Readonly<Record<string, string | null>>;
type SourceChange = Readonly<{
  command?: readonly string[] | undefined;
  url?: string | undefined;
  trust?: Trust | undefined;
  env?: Texts | undefined;
  headers?: Texts | undefined;
}>;

export type SourceAdministration = ReturnType<typeof createAdministration>;

export function createAdministration(acting: Acting, sources: Sources) {
  const { pins } = sources;

  async function need(name: string): Promise<Source> {
    await sources.reload();
    const source = sources.find(name);
    if (source) return source;
    const known = sources.all().map(({ entry }) => entry.name);
    throw new HubError('not_found', `There is no source ${JSON.stringify(name)}.`, { known });
  }

  const viewOf = async (name: string) => toView(sources, await need(name));
  const detailOf = async (name: string) => toDetail(sources, await need(name));

  type ToDecide = Readonly<{ who: Principal; operation: string; chosen: Chosen }>;

  /** One transaction; from then on the source's tools stand as it says. */
  async function decide<T>(
    { who, operation, chosen: { name, tools } }: ToDecide,
    unit: (tx: Tx, caller: Caller) => Promise<T>,
  ): Promise<T> {
    requireSourceKeeper(who, 'Deciding on tools of a source');
    const source = await need(name);
    const decided = await acting.change(byRoute(who, operation, { name, tools }), unit);
    await source.served.refreshStandings();
    return decided;
  }

  /** Adds a source to config.yaml, or replaces its entry. */
  async function put(who: Principal, name: string, entry: RawEntry) {
    requireSourceKeeper(who, 'Adding a source');
    const read = readEntry(name, entry);
    if ('problem' in read)
      throw new HubError('invalid', `The entry ${name} cannot be used: ${read.problem}.`, {
        known: Object.keys(entrySchema.shape),
      });
    await sources.write(name, entry);
    return viewOf(name);
  }

  return {
    /** Every source with its state, the entries that cannot be used, and what other hubs run. */
    async list() {
      await sources.reload();
      const hubs = await sources.register.read();
      return {
        sources: sources.all().map((source) => toView(sources, source)),
        refused: [...sources.refused()],
        hubs: [...hubs],
      };
    },
    show: detailOf,
    put,
    /** What is not said stays; of variables and headers each is set by its name, or taken away with null. */
    async change(who: Principal, name: string, said: SourceChange) {
      requireSourceKeeper(who, 'Changing a source');
      await need(name);
      return put(who, name, changedEntry((await sources.raw(name)) ?? {}, said));
    },
    /** Takes a source out of config.yaml, with its login and what was approved of it. */
    async remove(who: Principal, name: string) {
      requireSourceKeeper(who, 'Removing a source');
      if ((await sources.raw(name)) === undefined) await need(name);
      await sources.write(name, undefined);
      await acting.change(byRoute(who, 'remove_source', { name }), (tx) => pins.forget(tx, name));
    },
    async switch(who: Principal, name: string, enabled: boolean) {
      requireSourceKeeper(who, 'Switching a source');
      await need(name);
      await sources.write(name, { ...(await sources.raw(name)), enabled });
      return viewOf(name);
    },
    /** Connects to a source now. */
    async test(name: string) {
      await need(name);
      await sources.test(name);
      return detailOf(name);
    },
    /** Begins a login: answers the page that a person has to visit. */
    async login(who: Principal, name: string) {
      requireSourceKeeper(who, 'Logging in to a source');
      await need(name);
      const { page } = await sources.login(name);
      return page ?? null;
    },
    /** What the file of another client would bring: nothing is changed. */
    async findIn({ text, path }: Readonly<{ text: string; path: string }>) {
      await sources.reload();
      const taken = new Set(sources.all().map(({ entry }) => entry.name));
      return findSources(text, path, taken).map(({ name, entry, notes }) => {
        const read = readEntry(name, entry);
        return { name, entry, notes: [...notes], problem: 'problem' in read ? read.problem : null };
      });
    },
    /** Definitions that are new or have changed, each with what was approved before, and what was decided on others. */
    async review(name: string, tools: readonly string[] | undefined) {
      const { entry } = await need(name);
      const rows = (await pins.rows(name)).filter(({ tool }) => tools === undefined || tools.includes(tool));
      return {
        trust: entry.trust,
        digest: digestOf(rows.filter(isPending)),
        pending: toPending(rows),
        decided: toDecided(rows),
      };
    },
    approve: (who: Principal, { name: source, ...chosen }: Chosen) =>
      decide({ who, operation: 'approve_source_tools', chosen: { name: source, ...chosen } }, (tx, caller) =>
        pins.approve(tx, caller, { source, ...chosen }),
      ),
    reject: (who: Principal, { name: source, ...chosen }: Chosen) =>
      decide({ who, operation: 'reject_source_tools', chosen: { name: source, ...chosen } }, (tx, caller) =>
        pins.reject(tx, caller, { source, ...chosen }),
      ),
    undo: (who: Principal, { name: source, tools }: Omit<Chosen, 'digest'>) =>
      decide({ who, operation: 'undo_source_decision', chosen: { name: source, tools } }, (tx, caller) =>
        pins.undo(tx, caller, { source, tools }),
      ),
  };
}

/** An agent on this machine must not add a source, and loopback alone does not tell it from its person. */
function requireSourceKeeper(who: Principal, what: string): void {
  requireOperator(who, what, 'Use `holdfast source …`');
}

/** A command takes the place of an address, and the other way round. */
function changedEntry(before: RawEntry, { command, url, trust, env, headers }: SourceChange): RawEntry {
  const { command: program, url: address, ...rest } = before;
  const reach = command ? { command } : url !== undefined ? { url } : { command: program, url: address };
  const entry = {
    ...rest,
    ...reach,
    ...(trust !== undefined && { trust }),
    ...(env && { env: mixed(before['env'], env) }),
    ...(headers && { headers: mixed(before['headers'], headers) }),
  };
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}

type RawEntry = Readonly<Record<string, unknown>>;

function mixed(before: unknown, said: Texts): RawEntry | undefined {
  const all = Object.entries({ ...(isObject(before) ? before : {}), ...said });
  const left = all.filter(([, value]) => value !== null);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}
