// Which process holds a connection, and whether that is a program the owner runs. The hub itself makes requests
// to addresses that others chose, and what it starts (commands, runs, sources) has the same user id: none of them
// is the owner.
import { readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { isMarked } from '../../../kernel/process/mark.ts';
import { listPids, readStat } from '../../../kernel/process/table.ts';

/** Holders are tried first the next time: a client that opens a connection for each call is found at once. */
const REMEMBERED = 64;

/** Is the socket with this inode held by a process that is not the hub, not started by it, not confined? */
export function createHolders(): (inode: string) => Promise<boolean> {
  const recent = new Set<number>();

  async function holderOf(inode: string): Promise<number | undefined> {
    const link = `socket:[${inode}]`;
    const others = listPids().reverse();
    for (const pid of new Set([process.pid, ...recent, ...others])) if (await holds(pid, link)) return pid;
    return undefined;
  }

  return async (inode) => {
    const pid = await holderOf(inode);
    if (pid === undefined || isOfHub(pid) || isConfined(pid) || isMarked(pid)) return false;
    recent.delete(pid);
    recent.add(pid);
    if (recent.size > REMEMBERED) recent.delete(recent.values().next().value!);
    return true;
  };
}

/** One that may not be looked into holds nothing that we know of. */
async function holds(pid: number, link: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const files = await readdir(folder).catch(() => []);
  return files.some((file) => linkOf(`${folder}/${file}`) === link);
}

/** The hub, or below it. A line that breaks off while it is followed proves nothing, and counts as ours. */
function isOfHub(pid: number): boolean {
  let next: number | undefined = pid;
  while (next !== undefined && next > 1 && next !== process.pid) next = readStat(next)?.parent;
  return next === undefined || next === process.pid;
}

/** In a container or a sandbox: with processes or user ids of its own. */
function isConfined(pid: number): boolean {
  return ['pid', 'user'].some((kind) => {
    const own = linkOf(`/proc/self/ns/${kind}`);
    return own === undefined || linkOf(`/proc/${pid}/ns/${kind}`) !== own;
  });
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
