import { useLayoutEffect, useRef, useState, type RefObject } from 'react';

const STEPS = Array.from({ length: 21 }, (_, at) => at / 20);

/** From and to, in pixels from the top of a thing. */
type Span = readonly [number, number];

/**
 * Leads to the first of it that was not on screen yet, with a little of what was above it: who jumped over a part is led back
 * to it, and what grew while it was read begins anew.
 */
type ReadOn = () => void;

/**
 * Whether all of a thing has been on screen: at once, or piece by piece as somebody scrolled. `of` names it: another thing
 * in the same place has to be seen anew, and so has all of one that grew or was wrapped otherwise. What is cut off inside is
 * never seen.
 */
export function useSeen<T extends HTMLElement>(of: string): readonly [RefObject<T | null>, boolean, ReadOn] {
  const box = useRef<T>(null);
  const reached = useRef(0);
  const [seen, setSeen] = useState<string>();
  useLayoutEffect(() => {
    const { current } = box;
    if (!current) return undefined;
    let spans: readonly Span[] = [];
    let size = '';
    const look = () => {
      if (document.hidden) return;
      const { top, bottom, width, height } = current.getBoundingClientRect();
      // Wrapped otherwise, it stands elsewhere.
      if (size !== `${width} ${height}`) spans = [];
      size = `${width} ${height}`;
      const [from, to] = inView(current, [top, bottom]);
      if (to > from) spans = joined([...spans, [from - top, to - top]]);
      const [first] = spans;
      reached.current = first && first[0] <= 1 ? first[1] : 0;
      if (first && first[0] <= 1 && first[1] >= height - 1 && !isCut(current)) setSeen(of);
    };
    look();
    const watch = new ResizeObserver(look);
    watch.observe(current);
    // What stood above it may go, and it comes into sight without a scroll.
    const moved = new IntersectionObserver(look, { threshold: STEPS });
    moved.observe(current);
    const options = { capture: true, passive: true };
    addEventListener('scroll', look, options);
    addEventListener('resize', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      watch.disconnect();
      moved.disconnect();
      removeEventListener('scroll', look, options);
      removeEventListener('resize', look);
      document.removeEventListener('visibilitychange', look);
    };
  }, [of]);
  const readOn = () => {
    const { current } = box;
    const around = current && scrolling(current);
    if (!around) return;
    const { top, height } = around.getBoundingClientRect();
    const at = current.getBoundingClientRect().top + reached.current;
    around.scrollBy({ top: at - top - height * 0.15 });
  };
  return [box, seen === of, readOn];
}

/** What scrolls it. */
function scrolling(element: HTMLElement): HTMLElement | null {
  let around = element.parentElement;
  while (around && !/auto|scroll/.test(getComputedStyle(around).overflowY)) around = around.parentElement;
  return around;
}

/** What of it no scrolling box around it and no edge of the window hides. */
function inView(element: HTMLElement, [top, bottom]: Span): Span {
  let [from, to] = [Math.max(0, top), Math.min(innerHeight, bottom)];
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (getComputedStyle(around).overflowY === 'visible') continue;
    const edge = around.getBoundingClientRect();
    [from, to] = [Math.max(from, edge.top), Math.min(to, edge.bottom)];
  }
  return [from, to];
}

function joined(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = [];
  for (const span of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = all.at(-1);
    if (last && span[0] <= last[1] + 1) all[all.length - 1] = [last[0], Math.max(last[1], span[1])];
    else all.push(span);
  }
  return all;
}

function isCut(element: HTMLElement): boolean {
  return [element, ...element.querySelectorAll<HTMLElement>('pre, code')].some(
    (each) =>
      getComputedStyle(each).display !== 'inline' &&
      (each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1),
  );
}
