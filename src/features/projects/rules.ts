/**
 * What is decided about repositories without looking at one: how a remote is written, how a project is
 * called, in which order its keys count.
 *
 * Any known key finds the project, so worktrees, clones, a first commit or a move make no second one. When
 * the keys of one folder lead to different projects (two clones that were first seen while both were
 * empty), the order decides, and the keys stay with whom they have: the common git folder first, because
 * that is where the work was begun and nobody's tasks may disappear because history or a remote changed;
 * then root commits, because history is copied only on purpose; then the remote, because it is one line of
 * a file that anybody edits; the bare path last, because folders are used again.
 *
 * Forks, and repositories that were begun by cloning a template, share their root commits and therefore a
 * project: nothing here can tell them from clones of one repository, and those must be one. Whoever wants
 * them apart says `--team`.
 */
export type Remote = Readonly<{ kind: 'network' | 'local'; value: string }>;

const PORTS: Readonly<Record<string, string>> = { 'ssh:': '22', 'git+ssh:': '22', 'git:': '9418' };

/**
 * One spelling for one repository: without user, password, default port and `.git`. Undefined when it is
 * none we understand.
 */
export function readRemote(url: string): Remote | undefined {
  const text = url.trim();
  if (text === '' || text.includes('\0') || /^[\w+-]+::/.test(text)) return undefined;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return readUrl(text);
  const scp = /^(?:[^@/\\]*@)?(\[[^\]]+\]|[^:/\\]{2,}):(.*)$/.exec(text);
  if (scp) return networkRemote(scp[1]!, scp[2]!);
  return { kind: 'local', value: text };
}

function readUrl(text: string): Remote | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, pathname } = new URL(text);
  const path = decode(pathname);
  if (protocol === 'file:') return { kind: 'local', value: path };
  return networkRemote(port === '' || port === PORTS[protocol] ? hostname : `${hostname}:${port}`, path);
}

function networkRemote(host: string, path: string): Remote | undefined {
  const place = path
    .replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  return host === '' || place === ''
    ? undefined
    : { kind: 'network', value: `${host.toLowerCase()}/${place}` };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const MAX_SLUG = 48;

/** ASCII only: two projects must not have ids that merely look alike. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._]+/g, '-')
    .slice(0, MAX_SLUG)
    .replace(/^[-._]+|[-._]+$/g, '');
  return slug === '' ? 'project' : slug;
}

/** The first free of `holdfast`, `holdfast-2`, `holdfast-3`. */
export function freeSlug(slug: string, isTaken: (slug: string) => boolean): string {
  let free = slug;
  for (let no = 2; isTaken(free); no += 1) free = `${slug}-${no}`;
  return free;
}
