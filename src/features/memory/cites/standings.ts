// What is known about citations in the trees of this machine. A state is kept with what its file was: another file,
// another look. What takes a walk through the project is found in the background, and the next answer has it.
import { BoundedMap } from '../../../kernel/bounded-map.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Cite, StoredCite } from './cite.ts';
import { standingIn } from './stand.ts';
import { settle, type Settled, surveyOf, type Survey } from './survey.ts';
import type { FileNow, Tree } from './tree.ts';

export interface Standings {
  /**
   * At once, or as soon as its file is read. What the file alone says is told on the way: asking git whether the project said more
   * may take longer than an answer waits.
   */
  quick(tree: Tree, cite: StoredCite, onHere: (here: Settled) => void): Promise<Settled | undefined>;
  /** However long it takes. One survey serves all of a round. */
  whole(tree: Tree, cites: readonly StoredCite[]): Promise<Settled[]>;
  /** What is still being looked for has been found. */
  idle(): Promise<void>;
}

const MOST = 20_000;
/** For how long what the project said is believed, while git sees no change. */
const BELIEVED_MS = 60_000;
const SURVEY_MS = 5_000;

type Known = Readonly<{ stamp: string; at: number; settled: Settled }>;

export function createStandings({ log }: Readonly<{ log: Log }>): Standings {
  const inFile = new BoundedMap<string, Settled>(MOST);
  const inTree = new BoundedMap<string, Known>(MOST);
  const surveys = new Map<string, Readonly<{ at: number; survey: Promise<Survey> }>>();
  const running = new Map<string, Promise<void>>();

  /** Walked once for all that ask at the same time. */
  function recent(tree: Tree): Promise<Survey> {
    const known = surveys.get(tree.root);
    if (known && performance.now() - known.at < SURVEY_MS) return known.survey;
    const survey = surveyOf(tree);
    surveys.set(tree.root, { at: performance.now(), survey });
    setTimeout(() => {
      if (surveys.get(tree.root)?.survey === survey) surveys.delete(tree.root);
    }, SURVEY_MS).unref();
    return survey;
  }

  function lookFor(tree: Tree, cite: StoredCite, stamp: string): void {
    const key = keyOf(tree, cite);
    if (running.has(key)) return;
    const work = settle(tree, cite, () => recent(tree))
      .then((settled) => void inTree.set(key, { stamp, at: performance.now(), settled }))
      .catch((error: unknown) => log.warn('a citation was not found again', { error }))
      .finally(() => running.delete(key));
    running.set(key, work);
  }

  const quick: Standings['quick'] = async (tree, cite, onHere) => {
    const now = await tree.look(cite.path);
    const own = now?.stamp ?? '';
    const here = now && (await hereOf(tree, cite, now));
    if (now && !here) return undefined;
    if (here && (here.state === 'fresh' || here.state === 'moved' || !cite.print)) return here;
    if (here) onHere(here);
    const stamp = `${own}\n${await tree.stamp()}`;
    const known = inTree.get(keyOf(tree, cite));
    if (known?.stamp === stamp && performance.now() - known.at < BELIEVED_MS) return known.settled;
    lookFor(tree, cite, stamp);
    return here;
  };

  async function hereOf(tree: Tree, cite: StoredCite, now: FileNow): Promise<Settled | undefined> {
    const key = `${now.stamp}\n${markOf(cite)}`;
    const known = inFile.get(key);
    if (known) return known;
    const file = await tree.read(cite.path, now);
    if (!file) return undefined;
    const settled = standingIn(file, cite);
    inFile.set(key, settled);
    return settled;
  }

  return {
    quick,
    async whole(tree, cites) {
      let survey: Promise<Survey> | undefined;
      const settled: Settled[] = [];
      for (const cite of cites) settled.push(await settle(tree, cite, () => (survey ??= surveyOf(tree))));
      return settled;
    },
    async idle() {
      await Promise.all(running.values());
    },
  };
}

function keyOf({ root }: Tree, cite: StoredCite): string {
  return `${root}\n${cite.path}\n${markOf(cite)}`;
}

function markOf({ from, to, print, commit }: StoredCite): string {
  return `${from}-${to} ${print?.digest ?? ''} ${commit ?? ''}`;
}

/** As a caller is shown it. */
export function toCite({ path, from, to }: StoredCite, settled: Settled | undefined): Cite {
  if (!settled) return { path, from, to, state: 'unknown' };
  const { state, now } = settled;
  return {
    path,
    from,
    to,
    state,
    ...(now && { now: { path: settled.path ?? path, from: now.from, to: now.to } }),
  };
}
