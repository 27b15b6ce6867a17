import { useEffect, useState } from 'react';
import type { Paint, Painted, PaintRequest } from './paint.ts';
import { ownScript } from '../api/own-script.ts';
import type { PatchLine } from './patch.ts';
import workerUrl from './worker.ts?worker&url';

type Paints = Readonly<Record<string, Paint>>;

let worker: Worker | undefined;
let asked = 0;
const waiting = new Map<number, (paints: Paints) => void>();

/** One worker for all files; a browser that has none shows lines without colour. */
function painter(): Worker | undefined {
  if (worker || typeof Worker === 'undefined') return worker;
  worker = new Worker(ownScript(workerUrl), { type: 'module', name: 'holdfast lines' });
  worker.addEventListener('message', ({ data: { id, paints } }: MessageEvent<Painted>) => {
    waiting.get(id)?.(paints);
    waiting.delete(id);
  });
  return worker;
}

/** What is shown of a file in colour, once it is known; until then it stands in ink. */
export function usePaint(path: string, lines: readonly PatchLine[]): Paints {
  const [paints, setPaints] = useState<Paints>({});
  useEffect(() => {
    const by = painter();
    if (!by || lines.length === 0) return undefined;
    asked += 1;
    const id = asked;
    waiting.set(id, setPaints);
    by.postMessage({ id, path, lines } satisfies PaintRequest);
    return () => void waiting.delete(id);
  }, [path, lines]);
  return paints;
}
