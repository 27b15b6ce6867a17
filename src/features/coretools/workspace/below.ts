import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import type { WorldContext } from '../../broker/broker.ts';
import { explain } from '../../../kernel/workspace.ts';

/** What a call may reach by the rules of the policy. */
export type Reach = Pick<WorldContext, 'mayReach' | 'isReachRuled'>;

/** A folder that is moved: where it is, and what everything below it is called where that is judged. */
export type Moved = Readonly<{ path: string; name: string }>;

/**
 * Refuses to move what has something below it that the call could not reach by itself: a folder is no way round a rule for what is in
 * it. Says not what, since its name may be what the rule keeps.
 */
export async function requireReach({ path, name }: Moved, { mayReach, isReachRuled }: Reach): Promise<void> {
  if (!isReachRuled) return;
  const open = [{ path, name }];
  for (let folder = open.pop(); folder; folder = open.pop()) {
    for await (const entry of await openIfFolder(folder.path, name)) {
      const inner = { path: join(folder.path, entry.name), name: `${folder.name}/${entry.name}` };
      if (!mayReach(inner.name)) throw keptBelow(name);
      if (entry.isDirectory()) open.push(inner);
    }
  }
}

async function openIfFolder(path: string, shown: string) {
  return opendir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOTDIR' || error.code === 'ENOENT') return [];
    throw explain(error, shown);
  });
}

function keptBelow(name: string): HubError {
  return new HubError(
    'forbidden',
    `Something below ${name} is kept from this call by a rule of the policy.`,
    {
      denied: 'policy:below',
      hint: 'Name what you want to move inside of it.',
    },
  );
}
