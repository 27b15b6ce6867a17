import { sha256 } from '../kernel/digest.ts';

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

/**
 * What a word of the index begins with: the space it belongs to, so that a question cannot even name a word of another
 * space, and whether its item still holds.
 */
export function wordPrefix(space: string, isPast: boolean): string {
  let code = codes.get(space);
  if (code === undefined) {
    code = sha256(space).slice(0, 6);
    codes.set(space, code);
  }
  return `${code}${isPast ? '!' : '.'}`;
}

const codes = new Map<string, string>();
