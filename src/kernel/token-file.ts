import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { HubError } from './errors.ts';
import { reasonOf } from './file-faults.ts';
import { makeFolders } from './folders.ts';
import { newSecret } from './ids.ts';
import { replaceFile } from './replace-file.ts';
import { shellWord } from './shell-word.ts';

/** A fresh token of 32 random bytes, as hex, in a file that only its owner can read. */
export function initTokenFile(path: string): string {
  const token = newSecret();
  try {
    makeFolders(dirname(path));
    replaceFile(path, `${token}\n`);
  } catch (error) {
    throw new HubError('invalid', `${path} cannot be written (${reasonOf(error)}).`, {
      path,
      hint: 'Name another file.',
    }).because(error);
  }
  return token;
}

/**
 * The token is as good as a login: a file that is missing, blank or open to others is refused, and the way
 * out is named.
 */
export function checkTokenFile(path: string): void {
  const make = { path, hint: `Make one with \`holdfast serve init-token ${shellWord(path)}\`.` };
  let mode: number;
  let text: string;
  try {
    mode = statSync(path).mode;
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new HubError(
      'invalid',
      `The token file ${path} cannot be read (${reasonOf(error)}).`,
      make,
    ).because(error);
  }
  if (text === '') throw new HubError('invalid', `The token file ${path} is empty.`, make);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new HubError(
      'invalid',
      `Others can read the token file ${path} (mode ${(mode & 0o777).toString(8)}).`,
      {
        path,
        hint: `Mend it with \`chmod 600 ${shellWord(path)}\`, and make a new token if others may have seen it.`,
      },
    );
  }
}
