import { sha256 } from '../kernel/digest.ts';
import type { WordKey } from './fulltext/rows.ts';

/** Where an item is filed. `''` is "none". The space is the wall between kinds of memory and between personas. */
export type ScopeTags = Readonly<{ space: string; tenant: string; team: string; agent: string }>;

/**
 * What a reader may see; nothing can be read without one. Team and agent include what carries no such tag; a tag that
 * is undefined is not filtered by, and only an unbound caller may leave one undefined.
 */
export type Sight = Readonly<{
  space: string;
  tenant: string | undefined;
  team: string | undefined;
  agent: string | undefined;
}>;

/** A name for the space that is short and fit to be part of a word of the index. */
export function wordKey(space: string, isPast: boolean): WordKey {
  let code = codes.get(space);
  if (code === undefined) {
    code = sha256(space).slice(0, 6);
    codes.set(space, code);
  }
  return { space: code, isPast };
}

const codes = new Map<string, string>();
