import { readIfThere } from '../maybe-file.ts';
import { replaceFile } from '../replace-file.ts';

/**
 * What a git that begins at this very moment reads: its settings, where its objects are. Whole at any time, and left alone where it is as
 * it should be: one that was half written once said that there are no such objects.
 */
export function settleFile(path: string, text: string, mode?: number): void {
  if (readIfThere(path) !== text) replaceFile(path, text, mode);
}
