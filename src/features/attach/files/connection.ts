import { HubError } from '../../../kernel/errors.ts';
import { reasonOf } from '../../../kernel/file-faults.ts';
import type { ClientEntry } from '../runtimes.ts';
import type { ClientFile } from './client-files.ts';
import {
  digestOf,
  dropReceipt,
  keepCopy,
  makeFolderOf,
  readReceipt,
  readText,
  removeFile,
  removeFolders,
  saveReceipt,
  writeText,
} from './receipts.ts';
import { NotReadable } from './json-scan.ts';
import type { Undo } from './settings-text.ts';

/**
 * A change to a file that is not ours: worked out first, shown, and only then made. `after` is undefined when
 * the file goes away.
 */
export type Plan = Readonly<{
  file: string;
  before: string | undefined;
  after: string | undefined;
  undo: Undo;
}>;

/** One of our servers in one client. */
export type ClientTarget = ClientFile &
  Readonly<{
    id: string;
    /** HOLDFAST_HOME, where copies and receipts are kept. */
    home: string;
    /** Names the receipt: client and server. */
    name: string;
  }>;

export function isChange({ before, after }: Plan): boolean {
  return before !== after;
}

export function planConnect({ file, text, under, id }: ClientTarget, entry: ClientEntry): Plan {
  const before = readText(file);
  const path = [...under, id];
  return legible(file, () => {
    if (before !== undefined && text.has(before, path, entry))
      return { file, before, after: before, undo: {} };
    const { text: after, undo } = text.put(before ?? '', path, entry);
    return { file, before, after, undo };
  });
}

/**
 * Makes the planned change and notes how to take it back. Answers where the former file is kept. The note
 * comes first: on a disk that is full now there is never a change without one.
 */
export function connectFile(plan: Plan, target: ClientTarget, now: Date): string | undefined {
  const { file, before, after, undo } = plan;
  const earlier = readReceipt(target);
  // A second connect changes our own entry: what stood there before the first one is still what has to come
  // back.
  const isOurs = earlier?.file === file && before !== undefined;
  const isUntouched = isOurs && digestOf(before) === earlier.digest;
  let createdFolder: string | undefined;
  try {
    const backup = before === undefined ? undefined : keepCopy(before, target, now);
    createdFolder = makeFolderOf(file);
    saveReceipt(target, {
      file,
      name: target.name,
      at: isOurs ? earlier.at : now.getTime(),
      digest: digestOf(after!),
      createdFile: isOurs ? earlier.createdFile : before === undefined,
      createdFolder: isOurs ? earlier.createdFolder : createdFolder,
      undo: isOurs ? earlier.undo : undo,
      backup: isOurs ? (isUntouched ? earlier.backup : undefined) : backup,
    });
    writeText(file, after!);
    return backup;
  } catch (error) {
    if (earlier === undefined) dropReceipt(target);
    removeFolders(file, createdFolder);
    throw notWritten(file, error);
  }
}

function notWritten(file: string, error: unknown): HubError {
  return new HubError('unavailable', `${file} cannot be changed (${reasonOf(error)}).`, {
    file,
    hint: 'Check that its disk and that of HOLDFAST_HOME are writable and not full; it was not touched.',
  }).because(error);
}

/** Untouched since, the file becomes again what it was, byte for byte; otherwise only our entry leaves it. */
export function planDisconnect(target: ClientTarget): Plan {
  const { file, text, under, id } = target;
  const before = readText(file);
  if (before === undefined) return { file, before, after: undefined, undo: {} };
  const noted = readReceipt(target);
  const receipt = noted?.file === file ? noted : undefined;
  if (receipt && digestOf(before) === receipt.digest) {
    if (receipt.createdFile) return { file, before, after: undefined, undo: {} };
    const original = receipt.backup === undefined ? undefined : readText(receipt.backup);
    if (original !== undefined) return { file, before, after: original, undo: {} };
  }
  return legible(file, () => {
    const rest = text.remove(before, [...under, id], receipt?.undo);
    const wasOursAlone = receipt?.createdFile === true && text.isEmpty(rest);
    return { file, before, after: wasOursAlone ? undefined : rest, undo: {} };
  });
}

export function disconnectFile(
  { file, before, after }: Plan,
  target: ClientTarget,
  now: Date,
): string | undefined {
  try {
    const backup = before === undefined ? undefined : keepCopy(before, target, now);
    if (after === undefined) removeFile(file, readReceipt(target)?.createdFolder);
    else writeText(file, after);
    dropReceipt(target);
    return backup;
  } catch (error) {
    throw notWritten(file, error);
  }
}

export function legible<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
    throw new HubError('invalid', `${file} cannot be understood, ${error.message}.`, {
      file,
      hint: 'Correct the file first; it was not touched.',
    }).because(error);
  }
}
