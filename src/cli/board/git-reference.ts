import { HubError } from '../../kernel/errors.ts';
import { withGit } from '../../kernel/git/git.ts';
import { gitPlaceOf } from '../../kernel/git/place.ts';
import type { Options } from '../options.ts';

/**
 * Where the work of a task is to be seen in git: a branch, a commit, a pull request. What is given has to look like one;
 * whether it exists is for the repository to say, which may be another machine's.
 */
export async function gitReference(
  { reference, branch, commit, pr }: Options,
  cwd: string,
): Promise<string | undefined> {
  const parts = [
    typeof reference === 'string' ? reference : undefined,
    branch === undefined ? undefined : `branch ${checkBranch(String(branch))}`,
    commit === undefined ? undefined : `commit ${await checkCommit(String(commit), cwd)}`,
    pr === undefined ? undefined : checkPull(String(pr)),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** The rules of `git check-ref-format --branch`. */
function checkBranch(name: string): string {
  const isOdd =
    !/^[^\s~^:?*[\\\p{Cc}-][^\s~^:?*[\\\p{Cc}]{0,199}$/u.test(name) ||
    /\.\.|@\{|\/\/|^\/|[/.]$|\.lock(\/|$)|(^|\/)\./.test(name);
  if (isOdd) throw wrong('--branch', 'the name of a branch', name);
  return name;
}

/** What moves, such as HEAD, is taken for the commit that it names in this repository now. */
async function checkCommit(given: string, cwd: string): Promise<string> {
  if (/^[0-9a-f]{7,64}$/i.test(given)) return given.toLowerCase();
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${given}^{commit}`];
  const place = await gitPlaceOf(cwd);
  const found = place && (await withGit({ place }, ({ ask }) => ask(...args)));
  if (found?.code === 0) return found.stdout.trim();
  throw wrong('--commit', '7 to 64 hex digits, or a name that git knows here', given);
}

function checkPull(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isPull =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    /\/(pull|pulls|merge_requests|pull-requests|pullrequest)\/\d+(\/|$)/.test(url.pathname);
  if (!isPull || address.length > 500) throw wrong('--pr', 'the address of a pull request', address);
  return url.href;
}

function wrong(option: string, expected: string, given: string): HubError {
  return new HubError(
    'invalid',
    `${option} must be ${expected}; got ${JSON.stringify(given.slice(0, 100))}.`,
  );
}
