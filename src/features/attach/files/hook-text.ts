import { appendElement, cutElement, cutMember, findMember, objectAt } from './json-edit.ts';
import type { ArraySpan } from './json-scan.ts';
import { hollowOf, jsonText, refillHollow } from './json-text.ts';
import type { Put, SettingsText } from './settings-text.ts';

/**
 * Hooks in a client's settings: lists by the name of an event, in which others have theirs. One of ours joins each list and
 * leaves it again; `isOurs` knows it by its text, also when an older version of us wrote it.
 */
export function hookText(isOurs: (element: string) => boolean): SettingsText {
  function ours(text: string, { elements }: ArraySpan): number[] {
    return elements.flatMap(({ start, end }, i) => (isOurs(text.slice(start, end)) ? [i] : []));
  }

  return {
    has: (text, path, entry) =>
      Object.entries(entry).every(([event, wanted]) => {
        const array = findMember(text, [...path, event])?.array;
        const found = array ? ours(text, array).map((i) => array.elements[i]!) : [];
        const [element] = wanted as readonly unknown[];
        return found.length === 1 && isSame(text.slice(found[0]!.start, found[0]!.end), element);
      }),

    // From the first of ours to the last: what is looked for in it are our own paths.
    read(text, path) {
      const found = (objectAt(text, path)?.members ?? []).flatMap(({ array }) =>
        array ? ours(text, array).map((i) => array.elements[i]!) : [],
      );
      return found.length === 0 ? undefined : text.slice(found[0]!.start, found.at(-1)!.end);
    },

    put(text, path, entry): Put {
      const lists = Object.keys(entry).filter((event) => findMember(text, [...path, event])?.array);
      const kept = text.trim() === '' || !objectAt(text, path) ? 0 : path.length;
      const undo = { lists, kept, ...hollowOf(text, path.slice(0, kept)) };
      let after = text;
      for (const [event, wanted] of Object.entries(entry)) {
        after = withoutOurs(after, [...path, event]);
        const array = findMember(after, [...path, event])?.array;
        const [value] = wanted as readonly unknown[];
        after = array
          ? appendElement(after, array, { value, depth: path.length + 1 })
          : jsonText.put(after, [...path, event], wanted as Readonly<Record<string, unknown>>).text;
      }
      return { text: after, undo };
    },

    remove(text, path, undo = {}): string {
      let rest = text;
      for (const { key, array } of objectAt(text, path)?.members ?? []) {
        if (!array || ours(text, array).length === 0) continue;
        rest = withoutOurs(rest, [...path, key]);
        const isHollow = findMember(rest, [...path, key])?.array?.elements.length === 0;
        if (isHollow && undo.lists?.includes(key) !== true) rest = cutMember(rest, [...path, key]);
      }
      if (rest === text) return text;
      const isLeft = objectAt(rest, path)?.members.length !== 0;
      if (!isLeft && (undo.kept ?? path.length) < path.length) rest = cutMember(rest, path);
      return refillHollow(rest, path, undo);
    },

    isEmpty: jsonText.isEmpty,
  };

  function withoutOurs(text: string, path: readonly string[]): string {
    let rest = text;
    for (;;) {
      const array = findMember(rest, path)?.array;
      const index = array ? ours(rest, array).at(-1) : undefined;
      if (!array || index === undefined) return rest;
      rest = cutElement(rest, array, index);
    }
  }
}

function isSame(raw: string, element: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(raw)) === JSON.stringify(element);
  } catch {
    return false;
  }
}
