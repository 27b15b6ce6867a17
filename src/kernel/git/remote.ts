// git that leaves the machine: to an address that a person confirmed, with what they set up for all their repositories
// (credentials, proxies, ssh), and nothing of the repository itself. See docs/design/git.md.
import { HubError } from '../errors.ts';
import { redact } from '../redact.ts';
import { withGit } from './git.ts';
import { findCommit } from './merge.ts';
import type { GitPlace } from './place.ts';
import { askConfig } from './settings.ts';

/** What a repository calls the address of a remote; read as text, and only ever shown to a person. Undefined where it has none, or several. */
export async function remoteUrlOf({ common }: GitPlace, remote: string): Promise<string | undefined> {
  return addressIn(common, `remote.${remote}.url`);
}

/** The same for what is pushed, which may have an address of its own. */
export async function pushUrlOf(place: GitPlace, remote: string): Promise<string | undefined> {
  return (await addressIn(place.common, `remote.${remote}.pushurl`)) ?? remoteUrlOf(place, remote);
}

async function addressIn(common: string, name: string): Promise<string | undefined> {
  const said = await askConfig(common, ['--local', '--get-all', name]);
  const urls = said.split('\0').filter(Boolean);
  return urls.length === 1 ? urls[0] : undefined;
}

const HTTPS = /^https:\/\/(?:[\w.~-]+@)?[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?\/[^\s\0]+$/;
const SSH = /^ssh:\/\/(?:[\w.~][\w.~-]*@)?[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?\/[^\s\0]+$/;
const SCP = /^(?:[\w.~][\w.~-]*@)?[A-Za-z0-9][A-Za-z0-9.-]*:(?!\/\/)[^\s\0:-][^\s\0]*$/;

/** https and ssh only, and no secret in it: that would be the repository's own credential. */
export function whyUnsafe(url: string): string | undefined {
  if (/^https?:\/\/[^/@]*:[^/@]*@/.test(url))
    return 'its address holds a password; let a credential helper of yours keep it';
  if (HTTPS.test(url) || SSH.test(url) || SCP.test(url)) return undefined;
  return 'its address is neither https nor ssh';
}

export type RemoteBranch = Readonly<{ place: GitPlace; url: string; branch: string; signal?: AbortSignal }>;

/** Where a branch is there; null where there is none. Its commits are here afterwards. */
export function fetchTip({ place, url, branch, signal }: RemoteBranch): Promise<string | null> {
  requireSafe(url);
  const ref = `refs/heads/${branch}`;
  return withGit({ place, signal }, async (git) => {
    const abroad = git.abroad();
    const listed = await abroad.ask('ls-remote', '--refs', '--', url, ref);
    if (listed.code !== 0) throw unreachable(url, listed.stderr);
    const tip = /^([0-9a-f]{40,64})\t/.exec(listed.stdout)?.[1];
    if (tip === undefined) return null;
    if ((await findCommit(git, tip)) !== undefined) return tip;
    const quiet = [
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--no-recurse-submodules',
      '--no-auto-gc',
    ];
    const fetched = await abroad.ask('fetch', ...quiet, '--', url, ref);
    if (fetched.code !== 0) throw unreachable(url, fetched.stderr);
    if ((await findCommit(git, tip)) !== undefined) return tip;
    throw new HubError('unavailable', `${branch} of ${url} moved while it was fetched.`);
  });
}

type Push = RemoteBranch & Readonly<{ commit: string; from: string | null }>;

/** Only from where it was seen. Undefined when it is there now, else why it was refused; who cannot be reached throws. */
export function pushBranch({ place, url, branch, signal, commit, from }: Push): Promise<string | undefined> {
  requireSafe(url);
  const ref = `refs/heads/${branch}`;
  return withGit({ place, signal }, async (git) => {
    const plain = [
      '--porcelain',
      '--no-verify',
      '--no-signed',
      '--no-follow-tags',
      '--recurse-submodules=no',
    ];
    const lease = `--force-with-lease=${ref}:${from ?? ''}`;
    const end = await git.abroad().ask('push', ...plain, lease, '--', url, `${commit}:${ref}`);
    if (end.code === 0) return undefined;
    const refused = /^!\t[^\t]*\t(.*)$/m.exec(end.stdout)?.[1];
    if (refused === undefined) throw unreachable(url, end.stderr);
    const told = /^remote: (.+)$/m.exec(end.stderr)?.[1];
    return redact([refused, ...(told === undefined ? [] : [told.trim()])].join(': ')).slice(0, 300);
  });
}

function requireSafe(url: string): void {
  const why = whyUnsafe(url);
  if (why !== undefined) throw new HubError('forbidden', `Nothing is pushed there: ${why}.`);
}

function unreachable(url: string, stderr: string): HubError {
  const lines = stderr.split('\n').filter((line) => /^(?:fatal|error|remote): /.test(line));
  const why = redact(lines.slice(-2).join(' ') || stderr.trim().slice(-200)).slice(0, 300);
  return new HubError('unavailable', `${url} cannot be reached: ${why}`, {
    hint: 'Try `git ls-remote` with that address yourself: the hub uses your global git settings.',
  });
}
