import { useLayoutEffect, useRef } from 'react';

/**
 * Keys, as data. The last set that was mounted is asked first, so a drawer's keys come before those of the list behind it.
 * Nothing is taken from a text field, nor from a key that the browser or the system wants for itself.
 */
export type Keys = Readonly<Record<string, Readonly<{ does: string; run(event: KeyboardEvent): void }>>>;

const sets: { keys: Keys; title: string }[] = [];
const SEQUENCE_MS = 900;
/** Keys that lead from one to the next may be held down; nothing else is done twice because a hand rests on a key. */
const STEPS = /^(?:[jk[\]]|Arrow\w+)$/;
let first = '';
let firstAt = 0;

export function useKeys(title: string, keys: Keys, isOn = true): void {
  const latest = useRef(keys);
  latest.current = keys;
  // Before it is painted: whoever sees it may press.
  useLayoutEffect(() => {
    if (!isOn) return undefined;
    const set = {
      title,
      get keys() {
        return latest.current;
      },
    };
    sets.push(set);
    return () => void sets.splice(sets.indexOf(set), 1);
  }, [title, isOn]);
}

export function knownKeys(): readonly { title: string; keys: Keys }[] {
  return [...sets].reverse().map(({ title, keys }) => ({ title, keys }));
}

export function listenForKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if (event.repeat && !STEPS.test(event.key)) return;
    const isCommand = event.metaKey || event.ctrlKey;
    // What lies over the page has the keys to itself: nothing moves behind it.
    if (event.altKey || document.querySelector('dialog[open]')) return;
    const name = isCommand ? `mod+${event.key.toLowerCase()}` : event.key;
    if (!isCommand && isText(event.target) && event.key !== 'Escape') return;
    const sequence = Date.now() - firstAt < SEQUENCE_MS ? `${first} ${name}` : '';
    const found = find(sequence) ?? find(name);
    if (found) {
      event.preventDefault();
      first = '';
      found.run(event);
      return;
    }
    first = name;
    firstAt = Date.now();
  });
}

function find(name: string) {
  if (name === '') return undefined;
  return sets.findLast(({ keys }) => name in keys)?.keys[name];
}

function isText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('[role=menu], [role=listbox]')) return true;
  return (
    target.matches('textarea, select, input:not([type=checkbox]):not([type=radio])') ||
    target.isContentEditable
  );
}
