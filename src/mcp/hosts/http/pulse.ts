/** One timer for all answers under way. It stops by itself when a beat finds nobody waiting, so a busy hub starts it once. */
const waiting = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

const PULSE_MS = 15_000;

/** Calls `beat` now and then until the returned function is called. */
export function onPulse(beat: () => void): () => void {
  waiting.add(beat);
  timer ??= setInterval(tick, PULSE_MS).unref();
  return () => waiting.delete(beat);
}

function tick(): void {
  for (const beat of waiting) beat();
  if (waiting.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}
