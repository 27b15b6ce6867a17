import { useLayoutEffect, useRef, useState, type RefObject } from 'react';

const STEPS = Array.from({ length: 21 }, (_, at) => at / 20);

/** From and to, in pixels from the top of a thing. */
type Span = readonly [number, number];

/**
 * Whether all of a thing has been on screen: at once, or piece by piece as somebody scrolled. `of` names it: another thing
 * in the same place has to be seen anew. What is cut off inside is never seen.
 */
export function useSeen<T extends HTMLElement>(of: string): readonly [RefObject<T | null>, boolean] {
  const box = useRef<T>(null);
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
  return [box, seen === of];
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
