// Citations for the callers of memory: taken when something is saved, looked up again when it is recalled, each in the
// caller's own files. Nothing here shows a line of them.
import { HubError } from '../../../kernel/errors.ts';
import { gitPlaceOf } from '../../../kernel/git/place.ts';
import type { Log } from '../../../kernel/log.ts';
import { hasScope, type Principal, requirePerson } from '../../../kernel/principal.ts';
import { type Call, callerOf } from '../../../store/calls.ts';
import type { ProjectsService, Spaces, Workplace } from '../../projects/projects.ts';
import type { Cite, StoredCite } from './cite.ts';
import { findNames } from './find-names.ts';
import { OF_A_SPAN, printOf, sketchOf } from './print.ts';
import { createStandings, toCite } from './standings.ts';
import type { Settled } from './survey.ts';
import { openTree, type Tree } from './tree.ts';
import { citesIn, MOST_CITES, namesIn, readCite, type WrittenCite } from './written.ts';

/** Who asks, and from where: only a person may name a folder. */
export type Asker = Readonly<{ who: Principal; via: Call['via']; folder?: string | undefined }>;

type CitedText = Readonly<{ given?: readonly string[] | undefined; text: string }>;

export interface Citing {
  /** What a save cites: as it was told, and as far as its text says. */
  take(asker: Asker, cited: CitedText): Promise<StoredCite[]>;
  /** Names of the text that stand on one line of the project. Takes a walk through it. */
  takeNames(asker: Asker, text: string): Promise<StoredCite[]>;
  /** The same citations as they stand now, wherever they have gone; what is gone stays as it was. */
  retake(asker: Asker, cites: readonly StoredCite[]): Promise<StoredCite[]>;
  /** Within a few milliseconds: what is not known by then is unknown. */
  judge(asker: Asker, lists: readonly (readonly StoredCite[])[]): Promise<Cite[][]>;
  /** However long it takes. */
  check(asker: Asker, lists: readonly (readonly StoredCite[])[]): Promise<Cite[][]>;
  idle(): Promise<void>;
}

type CitingParts = Readonly<{
  projects: Pick<ProjectsService, 'workplaces' | 'checkoutOf'>;
  spaces: Pick<Spaces, 'chosen'>;
  log: Log;
  /** How long an answer waits for the files it cites. */
  patienceMs?: number | undefined;
}>;

/** An answer waits no longer for the files it cites. */
const PATIENCE_MS = 10;
/** A person at a terminal waits a little longer, for a hub that may have been started for this one question. */
const IN_A_FOLDER_MS = 1_000;

type Ground = Readonly<{ tree: Tree; place: Workplace }>;

export function createCiting({ projects, spaces, log, patienceMs = PATIENCE_MS }: CitingParts): Citing {
  const { workplaces } = projects;
  const standings = createStandings({ log });
  const late = new Set<Promise<unknown>>();

  async function groundAt(who: Principal, place: Workplace): Promise<Ground | undefined> {
    const space = await spaces.chosen(place).catch(() => undefined);
    if (!space || !hasScope(who, 'tools:call')) return undefined;
    return {
      tree: openTree({ space, mayRead: (path) => workplaces.mayRead(who, place, path) }),
      place,
    };
  }

  async function workplaceFor({ who, folder }: Asker): Promise<Workplace | undefined> {
    if (folder === undefined) return workplaces.of(who).catch(() => undefined);
    requirePerson(who, 'Naming folders of this machine');
    return workplaces.at((await gitPlaceOf(folder))?.top ?? folder).catch(() => undefined);
  }

  async function ownGround(asker: Asker): Promise<Ground | undefined> {
    const place = await workplaceFor(asker);
    return place && groundAt(asker.who, place);
  }

  /** The tree in which a citation of that project is judged; asked once for each project of an answer. */
  function groundsFor(asker: Asker): (of: string | undefined) => Promise<Ground | undefined> {
    const { who, via, folder } = asker;
    let own: Promise<Ground | undefined> | undefined;
    const others = new Map<string, Promise<Ground | undefined>>();
    async function mainCheckout(of: string): Promise<Ground | undefined> {
      // The page and the terminal outside of a repository: a person has files, and no folder here.
      if (folder !== undefined || !callerOf({ who, via }).isPerson) return undefined;
      const checkout = await projects.checkoutOf(of);
      const ground = checkout && (await groundAt(who, await workplaces.at(checkout)));
      return ground && isOf(ground, of) ? ground : undefined;
    }
    return async (of) => {
      if (of === undefined) return undefined;
      const mine = await (own ??= ownGround(asker));
      if (mine && isOf(mine, of)) return mine;
      const known = others.get(of) ?? mainCheckout(of).catch(() => undefined);
      others.set(of, known);
      return known;
    };
  }

  async function takeOne(
    { tree, place }: Ground,
    { path, from, to = from }: WrittenCite,
  ): Promise<StoredCite | undefined> {
    const file = await tree.read(path);
    if (!file || file.count === 0 || (to ?? 1) > file.count) return undefined;
    const sketch = sketchOf(file);
    const of = place.project ?? place.ground;
    const told = { path, commit: await tree.commit(), of };
    if (from === undefined || to === undefined) return { ...told, from: 1, to: file.count, sketch };
    const print = printOf(file, { from, to });
    return print && { ...told, from, to, print, sketch: sketch.slice(0, OF_A_SPAN) };
  }

  async function takeGiven(ground: Ground | undefined, given: string): Promise<StoredCite> {
    const written = readCite(given);
    // Nobody can look here: it is kept as it was written, and whoever has the files sees where it leads.
    if (!ground) return { path: written.path, from: written.from ?? 1, to: written.to ?? written.from ?? 1 };
    const taken = await takeOne(ground, written);
    if (taken) return taken;
    throw new HubError('invalid', `${given} cannot be cited: there is no such text in the project.`, {
      hint: 'Cite a text file of the project you work in, and lines that are there.',
    });
  }

  async function take(asker: Asker, { given = [], text }: CitedText): Promise<StoredCite[]> {
    const inText = citesIn(text);
    if (given.length + inText.length === 0) return [];
    const ground = await ownGround(asker);
    const taken: StoredCite[] = [];
    for (const one of given) taken.push(await takeGiven(ground, one));
    if (ground)
      for (const written of inText) {
        if (taken.length >= MOST_CITES) break;
        const one = await takeOne(ground, written);
        if (one && !taken.some((known) => isSame(known, one))) taken.push(one);
      }
    return taken;
  }

  type GroundFor = (of: string | undefined) => Promise<Ground | undefined>;

  const judgeIn =
    (groundFor: GroundFor): Judge =>
    async (cite, tell) => {
      const ground = await groundFor(cite.of);
      if (ground) tell(await standings.quick(ground.tree, cite, tell));
    };

  return {
    take,
    async takeNames(asker, text) {
      const names = namesIn(text);
      const ground = names.length === 0 ? undefined : await ownGround(asker);
      if (!ground) return [];
      const found = await findNames(ground.tree, names);
      const taken = await Promise.all(found.map((written) => takeOne(ground, written)));
      return taken.filter((one) => one !== undefined);
    },
    async retake(asker, cites) {
      const groundFor = groundsFor(asker);
      return Promise.all(
        cites.map(async (cite) => {
          const ground = await groundFor(cite.of);
          if (!ground) return cite;
          const [settled] = await standings.whole(ground.tree, [cite]);
          const { state, path = cite.path, now = cite } = settled!;
          if (state === 'gone') return cite;
          const written = cite.print ? { path, from: now.from, to: now.to } : { path };
          return (await takeOne(ground, written)) ?? cite;
        }),
      );
    },
    async judge(asker, lists) {
      const groundFor = groundsFor(asker);
      const { answers, work } = inTime(lists, judgeIn(groundFor));
      const done = work.finally(() => late.delete(done));
      late.add(done);
      const patience = asker.folder === undefined ? patienceMs : Math.max(patienceMs, IN_A_FOLDER_MS);
      if (patience > 0) {
        let timer: NodeJS.Timeout | undefined;
        await Promise.race([done, new Promise((resolve) => (timer = setTimeout(resolve, patience)))]);
        clearTimeout(timer);
      }
      // What comes later must not change an answer that is on its way.
      return answers.map((cites) => [...cites]);
    },
    async check(asker, lists) {
      const groundFor = groundsFor(asker);
      const byGround = new Map<Ground, StoredCite[]>();
      for (const cite of lists.flat()) {
        const ground = await groundFor(cite.of);
        if (ground) byGround.set(ground, [...(byGround.get(ground) ?? []), cite]);
      }
      const known = new Map<StoredCite, Cite>();
      for (const [{ tree }, cites] of byGround) {
        const settled = await standings.whole(tree, cites);
        for (const [i, cite] of cites.entries()) known.set(cite, toCite(cite, settled[i]));
      }
      return lists.map((cites) => cites.map((cite) => known.get(cite) ?? toCite(cite, undefined)));
    },
    async idle() {
      await Promise.all(late);
      await standings.idle();
    },
  };
}

/** Tells what is known of a citation as soon as it is, and again when more is. */
type Judge = (cite: StoredCite, tell: (settled: Settled | undefined) => void) => Promise<void>;

/** Whatever is not known when time is up goes on being looked at: the next answer has it. */
function inTime(
  lists: readonly (readonly StoredCite[])[],
  judge: Judge,
): Readonly<{ answers: Cite[][]; work: Promise<unknown> }> {
  const answers = lists.map((cites) => cites.map((cite) => toCite(cite, undefined)));
  const work = Promise.all(
    lists.flatMap((cites, i) =>
      cites.map(async (cite, j) => {
        const tell = (settled: Settled | undefined) => (answers[i]![j] = toCite(cite, settled));
        await judge(cite, tell).catch(() => tell(undefined));
      }),
    ),
  );
  return { answers, work };
}

function isOf({ place }: Ground, of: string): boolean {
  return place.project === of || place.ground === of;
}

function isSame(a: StoredCite, b: StoredCite): boolean {
  return a.path === b.path && a.from === b.from && a.to === b.to;
}
