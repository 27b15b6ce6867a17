// What attempts that are over leave on a runner's disk: refs and objects in the caches, folders of runs. Only while it has none.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../../kernel/log.ts';
import { gitIn } from './checkout.ts';

export async function tidyHome(home: string, log: Pick<Log, 'warn'>): Promise<void> {
  const [work, caches] = [join(home, 'work'), join(home, 'git')];
  for (const name of await namesIn(work)) await rm(join(work, name), { recursive: true, force: true });
  for (const name of (await namesIn(caches)).filter((each) => each.endsWith('.git')))
    await tidyCache(caches, join(caches, name)).catch((error: unknown) =>
      log.warn('a cache could not be tidied', { cache: name, error }),
    );
}

/** The newest run is kept: the next one of its project has most of it. */
async function tidyCache(caches: string, cache: string): Promise<void> {
  const git = gitIn(caches);
  const refs = await git(cache, [
    'for-each-ref',
    '--sort=-committerdate',
    '--format=%(refname)',
    'refs/runs',
  ]);
  for (const ref of refs.split('\n').slice(1)) await git(cache, ['update-ref', '-d', ref]);
  // Of a fetch that was broken off.
  const packs = join(cache, 'objects', 'pack');
  for (const name of await namesIn(packs))
    if (name.startsWith('tmp_')) await rm(join(packs, name), { force: true });
  // What that is too little for costs a look.
  await git(cache, ['-c', 'gc.autoDetach=false', 'gc', '--auto', '--prune=now', '--quiet']);
}

const namesIn = (folder: string) => readdir(folder).catch(() => []);
