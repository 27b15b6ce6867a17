import type { Shown } from './body.tsx';

const NAME = 'holdfast review';

/** How somebody likes to read lines, kept in this browser. */
export function readShown(): Shown {
  const kept = localStorage.getItem(NAME) ?? '';
  return { isSplit: kept.includes('split'), isSpaceIgnored: kept.includes('space') };
}

export function keepShown(shown: Shown): Shown {
  localStorage.setItem(
    NAME,
    [shown.isSplit && 'split', shown.isSpaceIgnored && 'space'].filter(Boolean).join(' '),
  );
  return shown;
}
