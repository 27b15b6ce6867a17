// From the place of a call to the workspace its tools open: checked anew at every call, since a folder may go away or
// become a link while its client lives.
import { mkdir, realpath, stat } from 'node:fs/promises';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { HubError } from '../../kernel/errors.ts';
import { isInside } from '../../kernel/folders.ts';
import type { Workplace } from './workplaces.ts';
import { openWorkspace, unlessExists, type Workspace } from '../../kernel/workspace.ts';

export interface Spaces {
  /** The workspace of a call; a scratch folder of the hub's own for who works nowhere. */
  of(place: Workplace): Promise<Workspace>;
  /** The same; undefined for who works nowhere. */
  chosen(place: Workplace): Promise<Workspace | undefined>;
}

export type SpaceParts = Readonly<{
  /** Where file and shell tools work while there is no workspace. Made when it is first needed. */
  scratch: string;
  /** Folders inside a workspace that stay closed. */
  closed: readonly string[];
  /** A folder in a closed one whose folders are workspaces all the same: the checkouts of runs. */
  checkouts?: string | undefined;
}>;

const MOST = 200;

export function createSpaces({ scratch, closed, checkouts }: SpaceParts): Spaces {
  const opened = new BoundedMap<string, Promise<Workspace>>(MOST);

  async function closedIn(root: string): Promise<readonly string[]> {
    const trees = checkouts === undefined ? undefined : await realpath(checkouts).catch(() => checkouts);
    return trees !== undefined && isInside(trees, root)
      ? closed.filter((each) => !isInside(each, root))
      : closed;
  }

  async function open(root: string): Promise<Workspace> {
    return openWorkspace({ root, closed: await closedIn(root) });
  }

  function remembered(root: string, opening: () => Promise<Workspace>): Promise<Workspace> {
    const known = opened.get(root);
    if (known) return known;
    const fresh = opening();
    opened.set(root, fresh);
    fresh.catch(() => opened.delete(root));
    return fresh;
  }

  async function chosen({ folder }: Workplace): Promise<Workspace | undefined> {
    if (folder === null) return undefined;
    const space = await remembered(folder, () => open(folder));
    await requireThere(space.root, folder);
    return space;
  }

  return {
    chosen,
    of: async (place) => (await chosen(place)) ?? remembered(scratch, () => openScratch(scratch)),
  };
}

/** What was a folder when it was opened must be the same one now: no link, and not gone. */
async function requireThere(root: string, folder: string): Promise<void> {
  const now = await realpath(root).catch(() => undefined);
  if (now === root && root === folder && (await stat(root)).isDirectory()) return;
  throw new HubError('unavailable', `The workspace ${folder} is gone.`, {
    denied: 'workspace:gone',
    hint: 'Start the client again in a folder that is there.',
  });
}

/** A folder of the hub's own: nothing of the user's is in reach until a workspace is chosen. */
async function openScratch(folder: string): Promise<Workspace> {
  await mkdir(folder, { mode: 0o700 }).catch(unlessExists);
  return openWorkspace({
    root: folder,
    hint: 'There is no workspace here, so only a scratch folder is in reach: work in a repository, or start the hub with --workspace.',
  });
}
