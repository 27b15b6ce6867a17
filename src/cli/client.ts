import { existsSync } from 'node:fs';
import { HubError } from '../kernel/errors.ts';
import type { Config } from '../kernel/config.ts';
import { isPostgresUrl } from '../kernel/site.ts';
import { hubToken } from '../kernel/home.ts';
import { newId } from '../kernel/ids.ts';
import { type CallHub, findHub, type HubLink, linkTo } from '../kernel/hub-link.ts';
import type { Api } from '../features/api.ts';
import type { MessageOf } from '../features/streams.ts';
import type { CallRoute } from '../operation/call-route.ts';
import { adviseWith, askingBy, type Hints } from './hints.ts';
import { configFrom, type Options } from './options.ts';
import type { World } from './world.ts';

/** The hub's REST surface, wherever it runs: the live hub of the database, or one started for this command alone. */
export interface Client extends Pick<HubLink, 'call'>, AsyncDisposable {
  /** `ask('POST /api/board/tasks/:taskId/claim', { taskId })`, typed by the operation behind it. */
  ask: CallRoute<Api>;
  /** The messages of a stream until the signal aborts, typed by its path. */
  follow<Path extends string>(path: Path, signal: AbortSignal): AsyncIterable<MessageOf<Path>>;
}

/** One command at its hub: who asks, and with which options. */
export type HubCommand = Readonly<{ world: World; client: Client; options: Options }>;

export async function connect(world: World, config: Config): Promise<Client> {
  const running = await findHub(config, world.env);
  const command = newId();
  if (running) return clientOf(linkTo({ ...running, command }), async () => undefined);
  const hub = await world.createHub({ ...config, host: '127.0.0.1', ports: [0] }, 'private');
  const token = hubToken(config, world.env);
  return clientOf(linkTo({ address: hub.address, token, command }), () => hub.close());
}

function clientOf(link: HubLink, close: () => Promise<void>): Client {
  const follow = link.follow as Client['follow'];
  return { ...link, follow, ask: askingBy(link.call), [Symbol.asyncDispose]: close };
}

/** What to say at the terminal about the refusals that people meet. */
type Advised = World & Readonly<{ hints?: Hints }>;

/** One command's worth of a client, put away whatever happens. */
export async function withClient<T>(
  { hints = {}, ...world }: Advised,
  options: Options,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const config = await configFrom(world, options);
  await using client = lazyClient(async (isReading) => {
    if (isReading && options['database'] !== undefined) requireDatabase(config);
    const opened = await connect(world, config);
    const call = adviseWith(hints, opened.call);
    return { ...opened, call, ask: askingBy(call) };
  });
  return await work(client);
}

/** Who names a file to read from means one that is there: an empty one, made on the way, would hide the typing error. */
function requireDatabase({ database }: Config): void {
  if (isPostgresUrl(database) || existsSync(database)) return;
  throw new HubError('not_found', `There is no database at ${database}.`, {
    hint: 'Check --database; `holdfast up` and commands that write make a new one there.',
  });
}

/** A client that its first call opens: what a command begins with tells whether it only reads. */
function lazyClient(open: (isReading: boolean) => Promise<Client>): Client {
  let opened: Promise<Client> | undefined;
  const openFor = (isReading: boolean): Promise<Client> => (opened ??= open(isReading));
  // A search is a reading, whatever carries its question.
  const call: CallHub = async <T>(method: string, path: string, body?: unknown): Promise<T> =>
    (await openFor(method === 'GET' || path.endsWith('/search'))).call<T>(method, path, body);
  return {
    call,
    ask: askingBy(call),
    async *follow(path, signal) {
      yield* (await openFor(true)).follow(path, signal);
    },
    async [Symbol.asyncDispose]() {
      // Why it could not be opened is for the call that tried to say.
      const client = await opened?.catch(() => undefined);
      await client?.[Symbol.asyncDispose]();
    },
  };
}
