import type { Mind } from '../parts.ts';
import type { Recalling } from '../being-recall.ts';
import type { Seen } from '../rows/whose.ts';
import type { AskModel } from '../../../kernel/language-model.ts';

export type PatrolCounts = Readonly<Record<string, number>>;

/** What a step works with. Every `write` proves the lease of the run first, and adds what it counted to the run. */
export type PatrolWork = Readonly<{
  being: string;
  runId: string;
  startedAt: number;
  recalling: Recalling;
  /** Undefined: steps that need a model are skipped. */
  ask: AskModel | undefined;
  /** Why there is none to ask. */
  whyNoModel: string;
  /** The embedding model in use; undefined when memories are compared by their words. */
  model: string | undefined;
  /** Nothing outside the database may be asked: the run is rolled back at its end. */
  isDry: boolean;
  signal: AbortSignal;
  read<T>(unit: (self: Seen) => Promise<T>): Promise<T>;
  write<T>(unit: (self: Mind) => Promise<Counted<T>>): Promise<T>;
}>;

export type Counted<T> = Readonly<{ value: T; stats?: PatrolCounts }>;

/** The last unit of a step: it shares a transaction with the step's line in the journal, so both happen once. */
export type Finish = (self: Mind) => Promise<PatrolCounts>;

export const STEPS = [
  'extract',
  'ingest',
  'tick',
  'fade',
  'consolidate',
  'revive',
  'split',
  'fold',
  'digest',
  'reflect',
] as const;
export type StepName = (typeof STEPS)[number];

export type Step = Readonly<{ name: StepName; needsModel: boolean; run(work: PatrolWork): Promise<Finish> }>;

/** By the nodes' numbers; of none where no model is configured. */
export async function vectorsOf(
  { model, recalling, read }: PatrolWork,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, Float32Array>> {
  return model === undefined ? new Map() : read(({ q }) => recalling.vectors(q, model, numbers));
}
