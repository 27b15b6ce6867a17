import { chmodSync, linkSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config, Environment } from './config.ts';
import { cannotWrite } from './cannot-write.ts';
import { HubError } from './errors.ts';
import { reasonOf } from './file-faults.ts';
import { makeFolders } from './folders.ts';
import { newSecret } from './ids.ts';
import { readIfThere } from './maybe-file.ts';
import { replaceFile } from './replace-file.ts';

/** HOLDFAST_HOME holds secrets: the folder is the owner's alone, and so is every key in it. */
export function ensurePrivateFolder(path: string): void {
  try {
    makeFolders(path);
    const { uid, mode } = statSync(path);
    if (process.getuid && uid !== process.getuid()) {
      throw new HubError(
        'forbidden',
        `${path} belongs to another user; choose another folder with HOLDFAST_HOME.`,
        { path },
      );
    }
    if ((mode & 0o077) !== 0) chmodSync(path, 0o700);
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw new HubError(
      'unavailable',
      `${path} cannot be created (${reasonOf(error)}); choose another folder with HOLDFAST_HOME.`,
      { path },
    ).because(error);
  }
}

/** Makes the folder of a socket or of a hub's record, for its owner alone. Named pipes need none. */
export function ensureRunFolder(path: string): void {
  if (process.platform !== 'win32') ensurePrivateFolder(dirname(path));
}

/** The key that signs session ids and attach URLs: HOLDFAST_SIGNING_KEY, for hubs that share one, else the file in the home. */
export function signingKey(home: string, env: Environment): string {
  return env['HOLDFAST_SIGNING_KEY'] || readOrCreateSecret(join(home, 'signing.key'));
}

/**
 * The hub token: HOLDFAST_TOKEN, for hubs that share one, else its file. The one in the home is made on first use; one the operator
 * named must be there. A weak token is refused, never a reason to open the door.
 */
export function hubToken(
  { home, tokenFile }: Readonly<{ home: string; tokenFile: string }>,
  env: Environment,
): string {
  const given = env['HOLDFAST_TOKEN'];
  if (!given)
    return tokenFile === join(home, 'token') ? readOrCreateSecret(tokenFile) : readNamedToken(tokenFile);
  if (/^[\w.~+/=-]{32,512}$/.test(given)) return given;
  throw new HubError(
    'invalid',
    'HOLDFAST_TOKEN must have 32 to 512 letters, digits or . _ ~ + / = - characters.',
    {
      hint: 'Remove it to use the token file, or make one with `holdfast serve init-token`.',
    },
  );
}

/** Where that token lies, in the middle of a sentence. */
export function hubTokenPlace(
  { tokenFile, gateway }: Pick<Config, 'tokenFile' | 'gateway'>,
  env: Environment,
): string {
  const isGiven = Boolean(env['HOLDFAST_TOKEN']) && gateway?.isTokenFileNamed !== true;
  return `the token in ${isGiven ? 'HOLDFAST_TOKEN' : tokenFile}`;
}

/** The keys that lie in the home already, without making any: what must never be shown, whoever serves. */
export function ownSecrets(
  { home, tokenFile }: Readonly<{ home: string; tokenFile: string }>,
  env: Environment,
): string[] {
  const files = [tokenFile, join(home, 'token'), join(home, 'signing.key')].map(readQuietly);
  return [env['HOLDFAST_TOKEN'], env['HOLDFAST_SIGNING_KEY'], ...files].filter(
    (each) => each !== undefined && each !== '',
  ) as string[];
}

function readQuietly(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined; // none there, or not ours to read: then there is nothing of ours to hide
  }
}

/**
 * A 0600 file with 32 random bytes as hex, made on first use. Written beside and linked into place, so that
 * of two processes starting at once both end with the same whole secret.
 */
export function readOrCreateSecret(path: string): string {
  const existing = readSecret(path);
  if (existing !== undefined) return existing;
  const draft = `${path}.${process.pid}.${newSecret(4)}`;
  try {
    replaceFile(draft, `${newSecret()}\n`);
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotWrite(path, error);
  } finally {
    rmSync(draft, { force: true });
  }
  return readSecret(path)!;
}

/** Puts a new secret where the old one was: whole and on disk, or the old one stays. */
export function replaceSecret(path: string): string {
  const secret = newSecret();
  try {
    replaceFile(path, `${secret}\n`);
  } catch (error) {
    throw cannotWrite(path, error);
  }
  return secret;
}

/** Undefined when the key comes from the environment, which nobody can exchange from here. */
export function signingKeyFile(home: string, env: Environment): string | undefined {
  return env['HOLDFAST_SIGNING_KEY'] ? undefined : join(home, 'signing.key');
}

function readNamedToken(path: string): string {
  const token = readSecret(path);
  if (token !== undefined) return token;
  throw new HubError('invalid', `There is no token in ${path}.`, {
    hint: `Make one with \`holdfast serve init-token ${path}\`.`,
  });
}

function readSecret(path: string): string | undefined {
  const text = readIfThere(path)?.trim();
  if (text === undefined) return undefined;
  if (text.length < 32)
    throw new HubError(
      'invalid',
      `${path} does not hold a key of at least 32 characters; remove it to get a new one.`,
      { path },
    );
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  return text;
}
