// `container` of an agent or a project in config.yaml: the program runs in an image, and sees what is mounted.
import { isAbsolute } from 'node:path';
import { bad, flagAt, objectAt, oneOf, refuseUnknown, textAt, textsAt } from './setting-values.ts';
import { atHome } from './site.ts';

export type ContainerSettings = Readonly<{
  program: 'podman' | 'docker';
  image: string;
  mounts: readonly ContainerMount[];
  /** False: none. True: the program's own; a text: the network of that name. */
  network: boolean | string;
}>;

export type ContainerMount = Readonly<{ from: string; to: string; isReadOnly: boolean }>;

const KEYS = ['program', 'image', 'mounts', 'network'];

export function readContainer(at: string, value: unknown): ContainerSettings | undefined {
  if (value === undefined || value === null) return undefined;
  const entry = objectAt(at, value);
  refuseUnknown(at, entry, KEYS);
  const { program, image, mounts, network } = entry;
  return {
    program: program === undefined ? 'podman' : oneOf(`${at}.program`, program, ['podman', 'docker']),
    image: imageAt(`${at}.image`, image),
    mounts:
      mounts === undefined
        ? []
        : textsAt(`${at}.mounts`, mounts).map((each) => mountAt(`${at}.mounts`, each)),
    network: networkAt(`${at}.network`, network),
  };
}

/** Whatever begins with a dash would be a flag. */
function imageAt(at: string, value: unknown): string {
  const image = textAt(at, value ?? '');
  if (/^[a-z0-9][\w./:@-]{0,254}$/i.test(image)) return image;
  throw bad(at, 'the name of an image', value);
}

function networkAt(at: string, value: unknown): boolean | string {
  if (value === undefined) return false;
  if (typeof value !== 'string') return flagAt(at, value);
  // These would be the network of the machine, or that of another container.
  if (/^[a-z0-9][\w.-]{0,62}$/i.test(value) && value !== 'host' && value !== 'container') return value;
  throw bad(at, 'true, false or the name of a network other than host', value);
}

/** `FROM:TO[:ro]`; commas and colons mean something to the programs, so no path has one. */
function mountAt(at: string, text: string): ContainerMount {
  const [from = '', to = from, mode, ...more] = text.split(':');
  const place = atHome(from);
  const inside = atHome(to);
  const isFine = [place, inside].every((path) => isAbsolute(path) && !/[,\n]/.test(path));
  if (!isFine || more.length > 0 || (mode !== undefined && mode !== 'ro' && mode !== 'rw'))
    throw bad(at, 'folders as FROM:TO or FROM:TO:ro, with absolute paths', text);
  return { from: place, to: inside, isReadOnly: mode === 'ro' };
}
