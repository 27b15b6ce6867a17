import { overlap } from './near-duplicates.ts';
import { scopeOf } from './place.ts';
import type { Ranked } from './score/ranked.ts';
import { mostInCommon, type Sketch, sketchOf } from './sketch.ts';

/** As far as people read, and how alike two notes must be for the newer one to be an update of the older. */
const LOOKED_AT = 10;
const ALIKE = 0.6;
/** A newer note overtakes an older one only if it answers nearly as well. */
const NEARLY = 0.7;

/** A title that more of them have names a topic: that it is the same says nothing about what they say of it. */
const SAME_SUBJECT = 3;

type Note = Readonly<{
  hit: Ranked;
  words: ReadonlySet<string>;
  title: ReadonlySet<string>;
  sketch: Sketch;
}>;

/** Of two notes that say nearly the same, or of which the later says that it changes the other, the later comes first. */
export function newerFirst(ranked: readonly Ranked[]): readonly Ranked[] {
  const top = ranked.slice(0, LOOKED_AT).map(readNote);
  let isChanged = false;
  for (let i = 1; i < top.length; i += 1) {
    const newer = top[i]!;
    let isChange: boolean | undefined;
    const at = top.findIndex((older, j) => {
      if (j >= i || !isLater(newer.hit, older.hit)) return false;
      if (isAlike(newer, older)) return true;
      isChange ??= saysChange(newer, top);
      return isChange && hasSameTitle(newer, older);
    });
    if (at < 0) continue;
    top.splice(i, 1);
    top.splice(at, 0, newer);
    isChanged = true;
  }
  return isChanged ? [...top.map(({ hit }) => hit), ...ranked.slice(LOOKED_AT)] : ranked;
}

/** Most of them are not: their sketches say so, and no word has to be looked for. */
function isAlike(a: Note, b: Note): boolean {
  return mostInCommon(a.sketch, b.sketch) >= ALIKE && overlap(a.words, b.words) >= ALIKE;
}

/** Taken apart when it is compared: most of the ten never are. */
function readNote(hit: Ranked): Note {
  const { terms, flags } = hit.item;
  let words: ReadonlySet<string> | undefined;
  let title: ReadonlySet<string> | undefined;
  let sketch: Sketch | undefined;
  return {
    hit,
    get words() {
      return (words ??= new Set(terms.split(' ')));
    },
    get sketch() {
      return (sketch ??= sketchOf(terms));
    },
    get title() {
      return (title ??= new Set(
        flags.titleLetters === 0 ? [] : terms.slice(0, flags.titleLetters).split(' '),
      ));
    },
  };
}

function isLater(newer: Ranked, older: Ranked): boolean {
  if (newer.item.flags.isSpoken || older.item.flags.isSpoken) return false;
  const isAfter =
    newer.item.number > older.item.number && scopeOf(newer.item.number) === scopeOf(older.item.number);
  return isAfter && newer.score >= older.score * NEARLY;
}

/** What a note says that changes another: now, no longer, changed, instead, since, superseded, replaced, became. */
const CHANGES = / (?:now|longer|chang|instead|sinc|supersed|replac|becom|shorten) /;

function saysChange(note: Note, top: readonly Note[]): boolean {
  if (!CHANGES.test(` ${note.hit.item.terms} `)) return false;
  return top.filter((other) => hasSameTitle(note, other)).length <= SAME_SUBJECT;
}

/** Of the shorter title's words the other has nearly all. */
function hasSameTitle({ title: a }: Note, { title: b }: Note): boolean {
  const fewest = Math.min(a.size, b.size);
  if (fewest < 2) return false;
  let shared = 0;
  for (const word of a) if (b.has(word)) shared += 1;
  return shared / fewest >= ALIKE;
}
