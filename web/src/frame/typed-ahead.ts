/**
 * What is typed after the box for everything was asked for and before it is there is meant for the box, and not for the keys
 * of the page behind it.
 */
let typed: string | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** As long as anybody would type without seeing a box: one that never comes takes no keys away. */
const LONGEST_MS = 3_000;

export function awaitBox(): void {
  if (typed !== undefined) return;
  typed = '';
  addEventListener('keydown', keep, true);
  timer = setTimeout(takeTyped, LONGEST_MS);
}

/** The box is there, and has the keys from now on. */
export function takeTyped(): string {
  removeEventListener('keydown', keep, true);
  clearTimeout(timer);
  const given = typed ?? '';
  typed = undefined;
  return given;
}

function keep(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, isComposing } = event;
  if (ctrlKey || metaKey || altKey || isComposing) return;
  const isLetter = key.length === 1;
  if (!isLetter && key !== 'Backspace' && key !== 'Enter') return;
  if (isLetter) typed += key;
  else if (key === 'Backspace') typed = typed?.slice(0, -1);
  event.preventDefault();
  event.stopImmediatePropagation();
}
