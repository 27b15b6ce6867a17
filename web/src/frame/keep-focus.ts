/**
 * Whoever works with keys must not lose their place: when what had the focus is gone, or was switched off while it was sent, the
 * focus goes to the nearest thing that is still there. It never goes to a button of another row by itself: whoever holds Enter
 * down would press it.
 */
type Spot = Readonly<{
  element: HTMLElement;
  row: HTMLElement | null;
  list: HTMLElement | null;
  /** Which of its list the row was. */
  at: number;
  around: readonly HTMLElement[];
}>;

/**
 * A card that was moved is drawn in its other column a moment later: until then the focus is where it can be given up again. How
 * long that moment is depends on the machine; it ends when the person does something else.
 */
type Awaited = Readonly<{ card: string; standIn: HTMLElement }>;

const KEPT = 8;
let spot: Spot | undefined;
let awaited: Awaited | undefined;
let before: readonly HTMLElement[] = [];
let isAsked = false;

export function keepFocus(): void {
  addEventListener('focusin', ({ target }) => target instanceof HTMLElement && remember(target));
  addEventListener('focusout', ({ target, relatedTarget }) => {
    const left = spot;
    if (relatedTarget !== null || !(target instanceof HTMLElement) || !document.hasFocus()) return;
    // What is taken away loses it a moment before; of what is still there somebody let go on purpose.
    queueMicrotask(() => {
      if (spot === left && isLost() && isUsable(target)) spot = undefined;
    });
  });
  for (const deed of ['keydown', 'pointerdown']) addEventListener(deed, () => (awaited = undefined), true);
  new MutationObserver(() => {
    if (isAsked || (awaited === undefined && (spot === undefined || !isLost()))) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      if (awaited !== undefined) handOver(awaited);
      if (spot !== undefined && isLost()) giveFocus(spot);
    });
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
}

/** The focus goes to a card, now or when it is drawn. */
export function followCard(card: string): void {
  const { activeElement } = document;
  const drawn = cardOf(card);
  if (drawn) drawn.focus({ preventScroll: true });
  else if (activeElement instanceof HTMLElement) awaited = { card, standIn: activeElement };
}

function giveFocus(left: Spot): void {
  const card = left.element.isConnected ? undefined : left.element.dataset['cardButton'];
  const place = nearest(left);
  place?.focus({ preventScroll: true });
  if (card === undefined || place === undefined || place === cardOf(card)) return;
  awaited = { card, standIn: place };
}

/** Whoever went elsewhere meanwhile stays there. */
function handOver({ card, standIn }: Awaited): void {
  const drawn = cardOf(card);
  const isKept = document.activeElement === standIn || isLost();
  if (drawn === undefined && isKept) return;
  awaited = undefined;
  if (isKept) drawn?.focus({ preventScroll: true });
}

function cardOf(card: string): HTMLElement | undefined {
  return document.querySelector<HTMLElement>(`[data-card-button="${CSS.escape(card)}"]`) ?? undefined;
}

const isLost = () => document.activeElement === document.body || document.activeElement === null;

function remember(element: HTMLElement): void {
  if (spot && spot.element !== element) before = [spot.element, ...before].slice(0, KEPT);
  const row = element.closest<HTMLElement>('li, [role=option]');
  const around: HTMLElement[] = [];
  for (let each = element.parentElement; each && each !== document.body; each = each.parentElement)
    around.push(each);
  const list = row?.parentElement ?? null;
  spot = { element, row, list, at: row && list ? [...list.children].indexOf(row) : -1, around };
}

function isUsable(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(':disabled') && element.checkVisibility();
}

function nearest({ element, row, list, at, around }: Spot): HTMLElement | undefined {
  if (element.isConnected) return isUsable(element) ? element : undefined;
  // A card that was moved is drawn anew in its other column.
  const card = element.dataset['cardButton'];
  const moved = card === undefined ? undefined : cardOf(card);
  if (moved) return moved;
  if (row?.isConnected) return reachable(row);
  const next = list?.isConnected ? list.children[Math.min(at, list.children.length - 1)] : undefined;
  if (next instanceof HTMLElement) return reachable(next);
  // A form that was closed leads back to what opened it.
  const opener = before.find((each) => isUsable(each) && !each.matches('input, textarea, select'));
  const place = around.find((each) => each.isConnected && each.checkVisibility());
  return opener && place?.contains(opener) ? opener : place && reachable(place);
}

/** It takes the focus for as long as it has it. */
function reachable(element: HTMLElement): HTMLElement {
  if (!element.matches('a[href], button, [tabindex]')) {
    element.tabIndex = -1;
    element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true });
  }
  return element;
}
