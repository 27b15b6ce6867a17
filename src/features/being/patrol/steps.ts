import { digest, fold, split } from './clusters.ts';
import { consolidate } from './consolidate.ts';
import { age, fade, revive } from './fade.ts';
import { ingest } from './ingest.ts';
import { extract, reflect } from './model-steps.ts';
import type { Step } from './work.ts';

/** A patrol, in its order. */
export const PATROL: readonly Step[] = [
  { name: 'extract', needsModel: true, run: extract },
  { name: 'ingest', needsModel: false, run: ingest },
  { name: 'tick', needsModel: false, run: age },
  { name: 'fade', needsModel: false, run: fade },
  { name: 'consolidate', needsModel: false, run: consolidate },
  { name: 'revive', needsModel: false, run: revive },
  { name: 'split', needsModel: true, run: split },
  { name: 'fold', needsModel: false, run: fold },
  { name: 'digest', needsModel: false, run: digest },
  { name: 'reflect', needsModel: true, run: reflect },
];
