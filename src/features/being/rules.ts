import { HubError } from '../../kernel/errors.ts';
import { excerpt } from '../../kernel/redact.ts';

/** Every threshold and limit of a Being, in one place. */
export const THRESHOLDS = {
  /** Cosine from which a memory answers a question. */
  recall: 0.35,
  /** Cosine from which a memory belongs to a cluster, or a small cluster to its sibling. */
  cluster: 0.45,
  /** The same for cosines of weighted words, which are lower: texts about one thing share few words. */
  clusterByWords: 0.15,
  /** Memories like each other that make a new cluster below a root. */
  newCluster: 3,
  /** Effective importance at which a memory is dying. */
  dying: 0.05,
  /** Patrols that a dying memory waits before it comes to rest. */
  restAfter: 3,
  /** How fast importance fades: e^(−t/30). */
  fade: 30,
  /** What a survivor gains from what it absorbs. */
  survivorGain: 0.05,
  /** More active memories than this are split, at most this many make a cluster small, and a sibling takes up to this many. */
  split: 10,
  small: 2,
  sibling: 8,
  /** Scenes of less importance are not taken from a conversation. */
  extract: 0.3,
  /** Scenes that start a patrol by themselves. */
  autoPatrol: 10,
} as const;

export const LIMITS = {
  recalled: 3,
  recentNodes: 5,
  answer: 4_000,
  text: 16_000,
  scenes: 500,
  notes: 200,
  waitingScenes: 5_000,
  messages: 1_000,
  name: 200,
  beings: 1_000,
} as const;

export const ROOTS = ['Business', 'Private'] as const;

export const SOUL_FIELDS = [
  'personality',
  'voice',
  'values',
  'backstory',
  'inner_world',
  'examples',
] as const;
/** Written by reflection, shown with the soul, and not for callers to set. */
export const THOUGHTS = 'think_md';

export const TARGETS = [
  'preferences',
  'knowledge',
  'relationship',
  'partner_tools',
  'partner_map',
  'diary',
  'notes',
  'party_message',
  'partner_rules',
  'souls',
] as const;
export type Target = (typeof TARGETS)[number];
export const ACTIONS = ['get', 'append', 'update', 'delete'] as const;
export type Action = (typeof ACTIONS)[number];

export const WRITE_TOOLS: ReadonlySet<string> = new Set([
  'update_memory',
  'update_notes',
  'merge_nodes',
  'update_relation',
  'trigger_patrol',
]);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A day that exists: 2026-02-31 does not. */
export type Fading = Readonly<{ importance: number; cycles: number; reactivations: number }>;

/** Time is patrols, not days; every recall takes one of them back. */
export function effectiveImportance({ importance, cycles, reactivations }: Fading): number {
  return importance * Math.exp(-Math.max(0, cycles - reactivations) / THRESHOLDS.fade);
}

export function hasFaded(memory: Fading): boolean {
  return effectiveImportance(memory) <= THRESHOLDS.dying;
}

/** One name per owner, however it is written. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase();
}

/** Cut where a reader of a tool result would lose interest anyway, and say so. */
export function clip(text: string): string {
  if (text.length <= LIMITS.answer) return text;
  const mark = '\n… (cut; narrow the question or lower the limit)';
  return `${text.slice(0, LIMITS.answer - mark.length).toWellFormed()}${mark}`;
}

/** Memory comes in blocks of ours; what could pass for their ends inside it is taken apart. */
export function defang(text: string): string {
  return text.replace(/<(?=\/?\s*(?:memory-recall|snapshot|party-messages)\b)/gi, '‹');
}

export function notFound(what: string, id: string): HubError {
  return new HubError('not_found', `There is no ${what} ${excerpt(id, 60)} of this Being.`, {
    id: id.slice(0, 60),
  });
}
