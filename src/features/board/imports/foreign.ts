import { HubError } from '../../../kernel/errors.ts';

/** A task as another tool had it, in words of ours. Keys are the other tool's, and only good among its own tasks. */
export type ForeignTask = Readonly<{
  key: string;
  title: string;
  description: string | undefined;
  /** In the other tool's words; undefined where it had none. */
  status: string | undefined;
  priority: number;
  parent: string | undefined;
  dependsOn: readonly string[];
  labels: readonly string[];
  comments: readonly ForeignComment[];
  createdAt: number | undefined;
  updatedAt: number | undefined;
  closedAt: number | undefined;
  /** Who had it there; only what is finished keeps that here. */
  assignee?: string | undefined;
  /** The day it is due, as it stands there. */
  due?: string | undefined;
  /** What people call it there, where that is not its key. */
  externalId?: string | undefined;
}>;

type ForeignComment = Readonly<{ author: string | undefined; body: string; at: number | undefined }>;

/** What a reader found, and what it could not read, with where. */
export type ForeignFile = Readonly<{ tasks: readonly ForeignTask[]; problems: readonly string[] }>;

/** `file`: what its tasks are named after that have no names of their own. */
export type ForeignReader = (bytes: Uint8Array, file: string) => ForeignFile | Promise<ForeignFile>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Undefined when the bytes are no UTF-8: what a guess would make of them is nobody's text. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** One JSON value that is the whole file. */
export function readJson(bytes: Uint8Array): unknown {
  const text = textOf(bytes);
  if (text === undefined)
    throw new HubError('invalid', 'The file is not UTF-8.', {
      hint: 'Save it as UTF-8, then import it again.',
    });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HubError('invalid', 'The file is not JSON.', {
      hint: 'Export it again from the other tool.',
    }).because(cause);
  }
}

export type Fields = Readonly<Record<string, unknown>>;

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Numbers stand for their digits: some tools number their tasks. */
export function wordOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

export function instantOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const at = Date.parse(value);
  return Number.isFinite(at) && at >= 0 ? at : undefined;
}

/** Parts of a description under their own headings; none when all are empty. */
export function joinParts(parts: readonly (readonly [heading: string, text: unknown])[]): string | undefined {
  const shown = parts.flatMap(([heading, text]) => {
    const word = wordOf(text);
    if (word === undefined) return [];
    return [heading === '' ? word : `## ${heading}\n\n${word}`];
  });
  return shown.length === 0 ? undefined : shown.join('\n\n');
}

/** Words of urgency, as several tools have them. 0 is what a task has that nobody thought about. */
export function urgencyOf(value: unknown): number {
  const words: Readonly<Record<string, number>> = { critical: 30, urgent: 30, high: 20, medium: 10, low: 0 };
  return typeof value === 'string' ? (words[value.toLowerCase()] ?? 0) : 0;
}
