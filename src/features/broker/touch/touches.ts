// What a request would touch, for whoever decides: files where they lead, hosts by their names. Found out by the facts
// that the call is judged by, and by what its arguments say; bounded, and nothing outside its folder is looked at.
import { resolve } from 'node:path';
import { readJsonObject } from '../../../kernel/loose-json.ts';
import type { Principal } from '../../../kernel/principal.ts';
import { redact } from '../../../kernel/redact.ts';
import { gitPlaceOf } from '../../../kernel/git/place.ts';
import { pushUrlOf, remoteUrlOf } from '../../../kernel/git/remote.ts';
import { findApproval } from '../ask/approvals.ts';
import { NOWHERE } from '../caller.ts';
import { findFacts } from '../judge/facts.ts';
import type { Args } from '../judge/inspectors/inspector.ts';
import type { PastParts } from '../judge/past-calls.ts';
import { isCommandName, isHostName, isPathName } from '../judge/policy/deciding-names.ts';
import type { Approval } from '../rows/approvals.ts';
import type { CallFacts } from '../world-tool.ts';
import { addressesIn, type NamedFile, type NamedHost, readCommand } from './commands.ts';
import { type WorkFolder, lookAt, type TouchedFile } from './places.ts';

type TouchedHost = Readonly<{
  /** As the request has it. */
  given: string;
  /** Null where that stands in settings that are not looked at. */
  host: string | null;
  /** The remote of its repository that the host was found by; `isNamed`: the request says which. */
  remote: Readonly<{ name: string; isNamed: boolean }> | null;
}>;

export type Touches = Readonly<{
  files: readonly TouchedFile[];
  hosts: readonly TouchedHost[];
  /** It has a command: programs may touch more than they name. */
  hasCommand: boolean;
  /** There is more than is listed. */
  isMore: boolean;
}>;

const MOST = 40;
const MOST_LOOKS = 200;
const MOST_DEPTH = 8;

export async function touchesOf(parts: PastParts, who: Principal, id: string): Promise<Touches> {
  const { db } = parts;
  const approval = await db.read((q) => findApproval(q, { id, team: who.bound.team, now: db.now() }));
  const args = argsOf(approval);
  const facts = await factsOf(parts, approval, args);
  const root = facts['workspace'] ?? approval.folder;
  const named = collect(args, facts);
  const ground =
    root === null ? undefined : groundIn(root, { ...named, startsIn: facts['cwd'] ?? named.startsIn });
  const files = ground ? await filesIn(named.files.slice(0, MOST_LOOKS), ground) : unlooked(named.files);
  const hosts = await hostsIn(named.hosts.slice(0, MOST_LOOKS), ground);
  return {
    files: files.slice(0, MOST).map(masked),
    hosts: hosts.slice(0, MOST).map((each) => ({ ...each, given: redact(each.given) })),
    hasCommand: named.commands.size > 0,
    isMore: files.length > MOST || hosts.length > MOST || named.files.length > MOST_LOOKS,
  };
}

function argsOf({ argsSummary }: Approval): Args {
  return readJsonObject(argsSummary ?? '') ?? {};
}

/** As they are now: a call that leads elsewhere than it was judged is refused when it runs. */
async function factsOf(
  { tools, workplaces }: PastParts,
  { toolName, folder }: Approval,
  args: Args,
): Promise<CallFacts> {
  const tool = tools().find(({ name }) => name === toolName);
  if (!tool) return {};
  const found = await findFacts(tool, args, folder === null ? NOWHERE : await workplaces.at(folder));
  return 'refusal' in found ? {} : found.facts;
}

type Found = {
  files: (NamedFile & Readonly<{ fact?: string | undefined }>)[];
  hosts: NamedHost[];
  goesTo: string | null | undefined;
  /** Where it says that it starts; what the hub found out goes before. */
  startsIn: string | undefined;
  commands: Set<string>;
};

function collect(args: Args, facts: CallFacts): Found {
  const found: Found = {
    files: [],
    hosts: [],
    goesTo: undefined,
    startsIn: undefined,
    commands: new Set(),
  };
  for (const [name, value] of Object.entries(args)) gather(found, { name, value, fact: facts[name] }, 0);
  // What only a fact tells, as where something comes back from the trash.
  if (facts['path'] !== undefined && args['path'] === undefined && facts['path'] !== facts['cwd'])
    found.files.unshift({ given: facts['path'], isCertain: true, fact: facts['path'] });
  return found;
}

type Argument = Readonly<{ name: string; value: unknown; fact?: string | undefined }>;

function gather(found: Found, { name, value, fact }: Argument, depth: number): void {
  if (depth > MOST_DEPTH || found.files.length > MOST_LOOKS) return;
  if (name === 'cwd' || name === 'workdir') {
    if (typeof value === 'string') found.startsIn ??= value;
    return;
  }
  if (Array.isArray(value) && isCommandName(name) && value.every((word) => typeof word === 'string'))
    return gather(found, { name, value: value.map(quoted).join(' ') }, depth + 1);
  if (Array.isArray(value)) {
    for (const each of value.slice(0, MOST_LOOKS)) gather(found, { name, value: each }, depth + 1);
    return;
  }
  if (typeof value === 'object' && value !== null) {
    for (const [inner, each] of Object.entries(value)) gather(found, { name: inner, value: each }, depth + 1);
    return;
  }
  if (typeof value === 'string') gatherText(found, { name, value, fact });
}

function gatherText(found: Found, { name, value, fact }: Argument & Readonly<{ value: string }>): void {
  if (isCommandName(name)) {
    // An agent says its command once for itself and once in what it asks with.
    if (found.commands.has(value)) return;
    const { files, hosts, goesTo } = readCommand(value);
    found.commands.add(value);
    found.files.push(...files);
    found.hosts.push(...hosts);
    if (goesTo !== undefined) found.goesTo = found.goesTo === undefined ? goesTo : null;
  } else if (/^[a-z][a-z0-9+.-]{0,30}:\/\/\S+$/i.test(value)) found.hosts.push(...addressesIn(value));
  else if (isHostName(name)) found.hosts.push({ by: value, address: `any://${value}` });
  else if (isPathName(name)) found.files.push({ given: value, isCertain: true, fact });
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function groundIn(root: string, { goesTo, startsIn }: Pick<Found, 'goesTo' | 'startsIn'>): WorkFolder {
  if (goesTo === null || /[$`*?[\]{}~]/.test(goesTo ?? '')) return { root, base: undefined };
  return { root, base: resolve(root, startsIn ?? '.', goesTo ?? '.') };
}

async function filesIn(named: Found['files'], ground: WorkFolder): Promise<readonly TouchedFile[]> {
  const files: TouchedFile[] = [];
  for (const { given, isCertain, fact } of named) {
    // Where the hub itself has found a path to lead is where the call will go.
    const looked = fact === undefined ? await lookAt(given, ground) : await lookAt(fact, atRoot(ground));
    const file = { ...looked, given };
    const isMeant = isCertain || (await isLikely(file, ground));
    if (isMeant && !files.some((each) => each.leadsTo === file.leadsTo)) files.push(file);
  }
  return files;
}

const atRoot = ({ root }: WorkFolder): WorkFolder => ({ root, base: root });

/** A word of a command is a file if one is there, or if a folder is there that it could be made in. */
async function isLikely({ given, leadsTo, state }: TouchedFile, ground: WorkFolder): Promise<boolean> {
  if (state === 'file' || state === 'folder' || state === 'other') return true;
  if (!given.includes('/')) return false;
  if (state !== 'missing') return true;
  const parent = leadsTo.includes('/') ? leadsTo.slice(0, leadsTo.lastIndexOf('/')) : '.';
  return (await lookAt(parent, atRoot(ground))).state === 'folder';
}

/** Nobody works there: paths are what they say. */
function unlooked(named: Found['files']): readonly TouchedFile[] {
  return named
    .filter(({ isCertain }) => isCertain)
    .map(({ given }) => ({ given, leadsTo: given, state: 'unsure' }));
}

function masked({ given, leadsTo, state }: TouchedFile): TouchedFile {
  return { given: redact(given), leadsTo: redact(leadsTo), state };
}

async function hostsIn(named: readonly NamedHost[], ground: WorkFolder | undefined): Promise<TouchedHost[]> {
  const hosts: TouchedHost[] = [];
  for (const each of named) {
    const host = await hostOf(each, ground);
    if (
      !hosts.some((known) => known.host === host.host && (host.host !== null || known.given === host.given))
    )
      hosts.push(host);
  }
  return hosts;
}

async function hostOf(named: NamedHost, ground: WorkFolder | undefined): Promise<TouchedHost> {
  if ('address' in named) return { given: named.by, host: nameOf(named.address), remote: null };
  if ('settingsOf' in named) return { given: named.by, host: null, remote: null };
  const { by, remote: name, isNamed, isPush } = named;
  const remote = { name, isNamed };
  const place = ground?.base === undefined ? undefined : await gitPlaceOf(ground.root).catch(() => undefined);
  const url = place && (await (isPush ? pushUrlOf : remoteUrlOf)(place, name).catch(() => undefined));
  return { given: by, host: url === undefined ? null : nameOf(url), remote };
}

/** The name of its host and its port, and nothing else of an address: no name and no password. */
function nameOf(address: string): string | null {
  const [, scp] = /^(?:[\w.~-]+@)?([A-Za-z0-9][A-Za-z0-9.-]*):(?!\/\/)/.exec(address) ?? [];
  if (scp !== undefined) return scp.toLowerCase();
  const web = address.replace(/^[a-z][a-z0-9+.-]*:/i, (scheme) =>
    /^https?:$/i.test(scheme) ? scheme : 'http:',
  );
  return URL.canParse(web) ? new URL(web).host : null;
}
