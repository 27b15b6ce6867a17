import { join } from 'node:path';
import type { Config } from '../../kernel/config.ts';
import { sha256 } from '../../kernel/digest.ts';
import { HubError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { excerpt, redact } from '../../kernel/redact.ts';
import { createTurns } from '../../kernel/turns.ts';
import type { ChangeBoard } from '../../mcp/changes.ts';
import type { ListKind } from '../../mcp/server.ts';
import { endLeftBehind, endMarked, markOf, startGuardian } from '../../mcp/upstream/processes.ts';
import type { Database } from '../../store/database.ts';
import type { Broker } from '../broker/broker.ts';
import { createConfigFile } from './config/config-file.ts';
import { createConversations } from './upstream/conversations.ts';
import { hiddenIn } from './config/hide-arguments.ts';
import { createFileVault, forgetLogin, keptLogin, startVisit, type LoginVisit } from './upstream/login.ts';
import { createPins, type Pins } from './review/pins.ts';
import { type Register, createRegister } from './register.ts';
import { hiding, locate, readSecrets, type Secrets } from './config/secrets-file.ts';
import type { Read, SourceEntry } from './config/settings.ts';
import { createServedTools, type ServedTools } from './served/served-tools.ts';
import {
  createSupervisor,
  type SourceState,
  type SourceStatus,
  type Supervisor,
} from './upstream/supervisor.ts';

/** One source as it stands: its entry, who keeps it alive and what it shows. */
export type Source = Readonly<{ entry: SourceEntry; supervisor: Supervisor; served: ServedTools }>;

/** Every source of this hub. */
export interface Sources {
  /** Reads the configuration and starts what is enabled; from then on it follows the file. Safe to call again. */
  start(hub?: string): Promise<void>;
  /** Waits a moment for those that are still coming up, counted from the start. */
  settled(): Promise<void>;
  /** Looks at the file now, instead of when it is next due. Before the start it is only read. */
  reload(): Promise<void>;
  all(): readonly Source[];
  find(name: string): Source | undefined;
  /** Entries that cannot be used, and why. */
  refused(): readonly Readonly<{ name: string; problem: string }>[];
  /** Another text whenever a list may be another one. */
  version(): string;
  stateOf(source: Source): SourceState;
  /** Why a source is not there now; undefined when it is, and where there is none of that name. */
  absenceOf(name: string): HubError | undefined;
  /** Of those that are switched on. */
  absent(): readonly Readonly<{ name: string; why: HubError }>[];
  /** Hears of every source that is connected, anew or for the first time. */
  onReady(hear: (source: Source) => void): void;
  test(name: string): Promise<SourceStatus>;
  login(name: string): Promise<LoginVisit>;
  write(name: string, entry: Readonly<Record<string, unknown>> | undefined): Promise<void>;
  raw(name: string): Promise<Readonly<Record<string, unknown>> | undefined>;
  readonly pins: Pins;
  readonly register: Register;
  readonly conversations: ReturnType<typeof createConversations>;
  close(): Promise<void>;
}

export type SourcesParts = Readonly<{
  db: Database;
  config: Config;
  log: Log;
  broker: Broker;
  changes: ChangeBoard;
}>;

/** How often the file is looked at. */
const LOOK_MS = 1_000;
/** A list that is asked for in the first moments waits for sources for so long. */
const FIRST_MS = 400;

export function createSources({ db, config, log, broker, changes }: SourcesParts): Sources {
  const { home } = config;
  const homeMark = sha256(home).slice(0, 12);
  const mark = markOf(homeMark);
  const file = createConfigFile(join(home, 'config.yaml'), [join(home, 'secrets.yaml')]);
  const pins = createPins(db);
  const register = createRegister({ db, log });
  const conversations = createConversations();
  const sources = new Map<string, Source & Readonly<{ fingerprint: string }>>();
  let refused: readonly Readonly<{ name: string; problem: string }>[] = [];
  let revision = 0;
  let starting: Promise<void> | undefined;
  let startedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let dismiss: (() => void) | undefined;
  const reloads = createTurns();
  let isRunning = false;
  let isClosed = false;

  /** The hub's lists and those of the source itself. */
  function tell(name: string, lists: readonly ListKind[] = ['tools', 'prompts', 'resources']): void {
    revision += 1;
    for (const list of lists) {
      changes.publish({ server: 'hub', list });
      changes.publish({ server: `source-${name}`, list });
    }
  }

  const readied: ((source: Source) => void)[] = [];

  function open(entry: SourceEntry, secrets: Secrets, fingerprint: string): void {
    let hide = hiding([]);
    let shown: SourceState | undefined;
    const vault = createFileVault(home, entry.name);
    const served: ServedTools = createServedTools({
      supervisor: () => supervisor,
      broker,
      pins,
      conversations,
      // Of one that is not ready nothing is shown: when it comes, that is told.
      onChanged: (lists) => (shown === 'ready' ? tell(entry.name, lists) : (revision += 1)),
    });
    const supervisor: Supervisor = createSupervisor({
      entry,
      log,
      hide: (text) => redact(hide(text)),
      async locate() {
        const { target, used } = locate(entry, secrets, process.env);
        hide = hiding([...used, ...hiddenIn(entry.command ?? [])]);
        if (target.kind === 'http') return target;
        dismiss ??= startGuardian(mark);
        return { ...target, mark: `${mark}.${entry.name}` };
      },
      ...(entry.url !== undefined && { login: keptLogin(entry, vault) }),
      onListing: (listing) => served.fill(listing),
      onState(status) {
        register.note(entry.name, { ...status, tools: served.held().length });
        if ((status.state === 'ready') !== (shown === 'ready')) tell(entry.name);
        const source = sources.get(entry.name);
        if (status.state === 'ready' && shown !== 'ready' && source) for (const hear of readied) hear(source);
        if (status.state === 'failing' && shown !== 'failing')
          log.warn('a source failed', { source: entry.name, reason: status.reason });
        shown = status.state;
      },
      onUpdated: (uri) => publishUpdate(entry.name, uri),
    });
    sources.set(entry.name, { entry, supervisor, served, fingerprint });
    if (isRunning && entry.enabled) supervisor.start();
  }

  async function reopen(entry: SourceEntry): Promise<void> {
    const secrets = await readSecrets(home);
    await shut(entry.name);
    open(entry, secrets, fingerprintOf(entry, secrets));
  }

  function publishUpdate(name: string, uri: string): void {
    const origins = [{ realm: 'hub' as const }];
    changes.publish({ server: `source-${name}`, uri, origins });
    changes.publish({ server: 'hub', uri: `${name}+${uri}`, origins });
  }

  async function shut(name: string): Promise<void> {
    const source = sources.get(name);
    if (!source) return;
    sources.delete(name);
    source.served.clear();
    revision += 1;
    await source.supervisor.stop();
    register.forget(name);
  }

  /** Sources whose entry or secrets are what they were stay as they are. */
  async function apply(entries: readonly Read[]): Promise<void> {
    const secrets = await readSecrets(home);
    const wanted = entries.flatMap((read) => ('entry' in read ? [read.entry] : []));
    refused = entries.flatMap((read) =>
      'problem' in read ? [{ name: read.name, problem: read.problem }] : [],
    );
    for (const { name, problem } of refused)
      log.warn('an entry of sources cannot be used', { source: name, problem });
    const prints = new Map(wanted.map((entry) => [entry.name, fingerprintOf(entry, secrets)]));
    const gone = [...sources.values()].filter(
      ({ entry, fingerprint }) => prints.get(entry.name) !== fingerprint,
    );
    await Promise.all(gone.map(({ entry }) => shut(entry.name)));
    if (isClosed) return;
    for (const entry of wanted) if (!sources.has(entry.name)) open(entry, secrets, prints.get(entry.name)!);
  }

  const reload = (): Promise<void> => reloads.take(lookOnce);

  async function lookOnce(): Promise<void> {
    try {
      const entries = await file.look();
      if (entries && !isClosed) await apply(entries);
    } catch (error) {
      log.error('config.yaml cannot be used: sources stay as they are', { error });
    }
  }

  function follow(): void {
    timer = setTimeout(() => void reload().finally(() => (isClosed ? undefined : follow())), LOOK_MS);
    timer.unref();
  }

  return {
    pins,
    register,
    conversations,
    async start(hub) {
      if (hub !== undefined) register.begin(hub);
      starting ??= (async () => {
        startedAt = performance.now();
        isRunning = true;
        endLeftBehind(homeMark);
        for (const { entry, supervisor } of sources.values()) if (entry.enabled) supervisor.start();
        await reload();
        follow();
      })();
      await starting;
    },
    async settled() {
      const left = startedAt + FIRST_MS - performance.now();
      if (left <= 0 || isClosed) return;
      const until = performance.now() + left;
      const isComing = () =>
        [...sources.values()].some(({ supervisor }) => supervisor.status().state === 'starting');
      while (isComing() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    reload,
    all: () => [...sources.values()],
    find: (name) => sources.get(name),
    refused: () => refused,
    version: () => `${revision}.${broker.switchVersion()}`,
    absenceOf(name) {
      const bad = refused.find((one) => one.name === name);
      return bad ? unusable(bad) : sources.get(name)?.supervisor.absence();
    },
    absent: () => [
      ...refused.map((bad) => ({ name: bad.name, why: unusable(bad) })),
      ...[...sources.values()].flatMap(({ entry: { name, enabled }, supervisor }) => {
        const why = enabled ? supervisor.absence() : undefined;
        return why ? [{ name, why }] : [];
      }),
    ],
    onReady: (hear) => void readied.push(hear),
    stateOf({ supervisor, served }) {
      const { state } = supervisor.status();
      const held = served.held();
      return state === 'ready' &&
        held.length > 0 &&
        held.every((one) => served.standingOf(one) === 'quarantined')
        ? 'quarantined'
        : state;
    },
    async test(name) {
      await reload();
      return need(name).supervisor.retry();
    },
    async login(name) {
      const { entry } = need(name);
      if (entry.url === undefined)
        throw new HubError('invalid', `${name} is a program; only sources with a url can be logged in to.`);
      const { target } = locate(entry, await readSecrets(home), process.env);
      const visit = await startVisit(entry, target, createFileVault(home, name));
      const done = visit.done.then(() => reopen(entry));
      done.catch((error: unknown) => log.warn('a login to a source failed', { source: name, error }));
      return { page: visit.page, done };
    },
    async write(name, entry) {
      await file.write(name, entry);
      if (entry === undefined) await forgetLogin(home, name);
      await reload();
    },
    raw: (name) => file.raw(name),
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await starting?.catch(() => undefined);
      await reloads.settled();
      conversations.close();
      await Promise.allSettled([...sources.keys()].map(shut));
      await endMarked(mark);
      dismiss?.();
      await register.close();
    },
  };

  function need(name: string): Source {
    const source = sources.get(name);
    if (source) return source;
    const bad = refused.find((one) => one.name === name);
    if (bad) throw unusable(bad);
    throw new HubError('not_found', `There is no source ${JSON.stringify(excerpt(name, 64))}.`, {
      known: [...sources.keys()],
    });
  }
}

function unusable({ name, problem }: Readonly<{ name: string; problem: string }>): HubError {
  return new HubError('invalid', `The entry ${name} cannot be used: ${problem}.`, { source: name });
}

/** Another one when the entry or a secret in it is another one. */
function fingerprintOf(entry: SourceEntry, secrets: Secrets): string {
  const named = [...secrets].filter(([name]) => JSON.stringify(entry).includes(`\${secrets.${name}}`));
  return sha256(JSON.stringify([entry, named]));
}
