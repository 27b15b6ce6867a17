// Whose sessions this hub reads and shows: those of the user who runs it, on this machine. Every statement of the room names both.
import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { sha256 } from '../../kernel/digest.ts';

export type Owner = Readonly<{ host: string; owner: string }>;

export function ownerHere(): Owner {
  return { host: hostHere(), owner: userHere() };
}

/** The id of the machine is nobody's business, so it is kept as a digest; a name alone may be that of many machines. */
function hostHere(): string {
  const id = ['/etc/machine-id', '/var/lib/dbus/machine-id'].map(readShort).find((text) => text !== '');
  return id === undefined ? hostname() : `${hostname()}-${sha256(`holdfast sessions ${id}`).slice(0, 8)}`;
}

function readShort(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

function userHere(): string {
  try {
    const { uid, username } = userInfo();
    return `${username}-${uid}`;
  } catch {
    return `uid-${process.getuid?.() ?? 0}`;
  }
}
