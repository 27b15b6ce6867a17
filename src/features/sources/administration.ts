// What persons do with sources: look, add, switch, review, take away. A source runs programs, so what changes one is for
// whoever runs the hub.
import type { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/principal.ts';
import { type Acting, byRoute, type Caller } from '../../store/acting.ts';
import type { Tx } from '../../store/database.ts';
import { findSources } from './import.ts';
import { requireSourceKeeper } from './operator-only.ts';
import { digestOf, isPending } from './pins.ts';
import { toDecided, toPending } from './review.ts';
import type { StateRow } from './rows.ts';
import { entrySchema, readEntry, type Trust } from './settings.ts';
import type { Source, Sources } from './sources.ts';
import { type sourceDetail, type sourceView, toDetail, toView } from './views.ts';

type Entry = Readonly<Record<string, unknown>>;
type SourceView = z.output<typeof sourceView>;
type SourceDetail = z.output<typeof sourceDetail>;

export interface SourceAdministration {
  /** Every source with its state, the entries that cannot be used, and what other hubs run. */
  list(): Promise<Listed>;
  show(name: string): Promise<SourceDetail>;
  /** Adds a source to config.yaml, or replaces its entry. */
  put(who: Principal, name: string, entry: Entry): Promise<SourceView>;
  /** Takes a source out of config.yaml, with its login and what was approved of it. */
  remove(who: Principal, name: string): Promise<void>;
  switch(who: Principal, name: string, enabled: boolean): Promise<SourceView>;
  /** Connects to a source now. */
  test(name: string): Promise<SourceDetail>;
  /** Begins a login: answers the page that a person has to visit. */
  login(who: Principal, name: string): Promise<string | null>;
  /** What the file of another client would bring: nothing is changed. */
  findIn(file: Readonly<{ text: string; path: string }>): Promise<Found[]>;
  /** Definitions that are new or have changed, each with what was approved before, and what was decided on others. */
  review(name: string, tools: readonly string[] | undefined): Promise<Review>;
  approve(who: Principal, chosen: Chosen): Promise<readonly string[]>;
  reject(who: Principal, chosen: Chosen): Promise<readonly string[]>;
  undo(who: Principal, chosen: Omit<Chosen, 'digest'>): Promise<readonly Undone[]>;
}

type Listed = Readonly<{
  sources: SourceView[];
  refused: { name: string; problem: string }[];
  hubs: StateRow[];
}>;
type Found = Readonly<{
  name: string;
  entry: Record<string, unknown>;
  notes: string[];
  problem: string | null;
}>;
type Review = Readonly<{
  trust: Trust;
  digest: string;
  pending: ReturnType<typeof toPending>;
  decided: ReturnType<typeof toDecided>;
}>;
type Chosen = Readonly<{ name: string; tools: readonly string[]; digest?: string | undefined }>;
type Undone = Readonly<{ tool: string; was: 'approved' | 'rejected' }>;

export function createAdministration(acting: Acting, sources: Sources): SourceAdministration {
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
    await source.stall.restand();
    return decided;
  }

  return {
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
    async put(who, name, entry) {
      requireSourceKeeper(who, 'Adding a source');
      const read = readEntry(name, entry);
      if ('problem' in read)
        throw new HubError('invalid', `The entry ${name} cannot be used: ${read.problem}.`, {
          known: Object.keys(entrySchema.shape),
        });
      await sources.write(name, entry);
      return viewOf(name);
    },
    async remove(who, name) {
      requireSourceKeeper(who, 'Removing a source');
      if ((await sources.raw(name)) === undefined) await need(name);
      await sources.write(name, undefined);
      await acting.change(byRoute(who, 'remove_source', { name }), (tx) => pins.forget(tx, name));
    },
    async switch(who, name, enabled) {
      requireSourceKeeper(who, 'Switching a source');
      await need(name);
      await sources.write(name, { ...(await sources.raw(name)), enabled });
      return viewOf(name);
    },
    async test(name) {
      await need(name);
      await sources.test(name);
      return detailOf(name);
    },
    async login(who, name) {
      requireSourceKeeper(who, 'Logging in to a source');
      await need(name);
      const { page } = await sources.login(name);
      return page ?? null;
    },
    async findIn({ text, path }) {
      await sources.reload();
      const taken = new Set(sources.all().map(({ entry }) => entry.name));
      return findSources(text, path, taken).map(({ name, entry, notes }) => {
        const read = readEntry(name, entry);
        return { name, entry, notes: [...notes], problem: 'problem' in read ? read.problem : null };
      });
    },
    async review(name, tools) {
      const { entry } = await need(name);
      const rows = (await pins.rows(name)).filter(({ tool }) => tools === undefined || tools.includes(tool));
      return {
        trust: entry.trust,
        digest: digestOf(rows.filter(isPending)),
        pending: toPending(rows),
        decided: toDecided(rows),
      };
    },
    approve: (who, { name: source, ...chosen }) =>
      decide({ who, operation: 'approve_source_tools', chosen: { name: source, ...chosen } }, (tx, caller) =>
        pins.approve(tx, caller, { source, ...chosen }),
      ),
    reject: (who, { name: source, ...chosen }) =>
      decide({ who, operation: 'reject_source_tools', chosen: { name: source, ...chosen } }, (tx, caller) =>
        pins.reject(tx, caller, { source, ...chosen }),
      ),
    undo: (who, { name: source, tools }) =>
      decide({ who, operation: 'undo_source_decision', chosen: { name: source, tools } }, (tx, caller) =>
        pins.undo(tx, caller, { source, tools }),
      ),
  };
}
