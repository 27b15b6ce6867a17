import { isDeepStrictEqual } from 'node:util';
import { readJson } from '../../../kernel/loose-json.ts';
import { cutMember, findMember, insertMember, objectAt, rawOf, render, splice } from './json-edit.ts';
import { type MemberSpan, scanJson, type TextSpan } from './json-scan.ts';
import type { Put, SettingsText, Undo } from './settings-text.ts';

/** Settings as JSON: one member is put in or taken out, and every other byte stays. */
export const jsonText: SettingsText = {
  has: (text, path, entry) => {
    const member = findMember(text, path);
    return member !== undefined && isDeepStrictEqual(readJson(rawOf(text, member)), entry);
  },

  read: (text, path) => {
    const member = findMember(text, path);
    return member && rawOf(text, member);
  },

  put(text, path, entry): Put {
    const whole = text.trim() === '' ? '{}\n' : text;
    const existing = findMember(whole, path);
    if (existing) {
      const value = render(entry, whole, path.length - 1);
      return {
        text: splice(whole, valueOf(existing), value),
        undo: { previous: rawOf(whole, existing) },
      };
    }
    const depth = deepestExisting(whole, path);
    const value = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), entry);
    return {
      text: insertMember(whole, path.slice(0, depth), { key: path[depth]!, value }),
      undo: { kept: depth, ...hollowOf(text, path.slice(0, depth)) },
    };
  },

  remove(text, path, undo: Undo = {}): string {
    const member = findMember(text, path);
    if (!member) return text;
    if (undo.previous !== undefined) return splice(text, valueOf(member), undo.previous);
    let rest = cutMember(text, path);
    // Containers that came with the entry go with it, unless someone has put something else into them.
    for (let depth = path.length - 1; depth > (undo.kept ?? path.length); depth -= 1) {
      if (objectAt(rest, path.slice(0, depth))?.members.length !== 0) break;
      rest = cutMember(rest, path.slice(0, depth));
    }
    return refillHollow(rest, path, undo);
  },

  isEmpty: (text) => text.trim() === '' || scanJson(text).members.length === 0,
};

/**
 * What stood where an entry came into an empty place: nothing at all, or an object in its owner's spelling.
 */
export function hollowOf(text: string, path: readonly string[]): Pick<Undo, 'hollow'> {
  if (text.trim() === '') return { hollow: text };
  const object = objectAt(text, path);
  return object && object.members.length === 0 ? { hollow: text.slice(object.start, object.end) } : {};
}

export function refillHollow(text: string, path: readonly string[], { hollow, kept }: Undo): string {
  if (hollow === undefined) return text;
  const object = objectAt(text, path.slice(0, kept ?? 0));
  if (!object || text.slice(object.start + 1, object.end - 1).trim() !== '') return text;
  if (hollow.trim() === '') return text.trim() === '{}' ? hollow : text;
  return splice(text, object, hollow);
}

function valueOf({ valueStart: start, end }: MemberSpan): TextSpan {
  return { start, end };
}

/** How many containers of the path are there. */
function deepestExisting(text: string, path: readonly string[]): number {
  let depth = path.length - 1;
  while (depth > 0 && !objectAt(text, path.slice(0, depth))) depth -= 1;
  return depth;
}
