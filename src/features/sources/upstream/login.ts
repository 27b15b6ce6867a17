import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import { newSecret } from '../../../kernel/ids.ts';
import { createTurns } from '../../../kernel/turns.ts';
import type { UpstreamTarget } from '../../../mcp/upstream/connect.ts';
import type { KeptLogin, LoginOptions, LoginVault } from '../../../mcp/upstream/login.ts';
import type { SourceEntry } from '../config/settings.ts';

/** What authorization servers gave out, one 0600 file per source. Never in the database, never in an answer. */
export function createFileVault(home: string, source: string): LoginVault {
  const folder = join(home, 'sources');
  const path = join(folder, `${source}.json`);
  let values: Record<string, string> | undefined;
  const writing = createTurns();

  async function load(): Promise<Record<string, string>> {
    values ??= JSON.parse(await readFile(path, 'utf8').catch(() => '{}')) as Record<string, string>;
    return values;
  }

  async function save(): Promise<void> {
    await mkdir(folder, { mode: 0o700, recursive: true });
    const draft = `${path}.${newSecret(4)}`;
    await writeFile(draft, JSON.stringify(values), { mode: 0o600 });
    await rename(draft, path);
  }

  return {
    get: async (key) => (await load())[key],
    async set(key, value) {
      const all = await load();
      if (value === undefined) delete all[key];
      else all[key] = value;
      await writing.take(save);
    },
  };
}

export async function forgetLogin(home: string, source: string): Promise<void> {
  await rm(join(home, 'sources', `${source}.json`), { force: true });
}

/** For the hub itself: uses and renews a login, never asks a person. */
export function keptLogin(entry: SourceEntry, vault: LoginVault): KeptLogin {
  return {
    kept: {
      ...loginOptions(entry, vault, 'http://127.0.0.1/callback'),
      authorize: () => Promise.reject(needsLogin(entry.name)),
    },
  };
}

function loginOptions(
  { client }: SourceEntry,
  vault: LoginVault,
  redirectUrl: string,
): Omit<LoginOptions, 'authorize'> {
  const known = client && {
    client: { id: client.id, ...(client.secret !== undefined && { secret: client.secret }) },
  };
  return { vault, redirectUrl, ...known };
}

function needsLogin(source: string): HubError {
  return new HubError('unauthorized', `the source ${source} wants a login`, {
    hint: `Run: holdfast source login ${source}`,
  });
}

/** A visit of a person to the page of the authorization server. */
export type LoginVisit = Readonly<{
  /** Undefined when none is needed: the login that is kept still holds. */
  page: string | undefined;
  done: Promise<void>;
}>;

const VISIT_MS = 10 * 60_000;
const THANKS = '<!doctype html><title>Holdfast</title><p>Logged in. You can close this page and go back.</p>';

/** Starts a login from scratch. The person is sent back to a loopback address of this very visit. */
export async function startVisit(
  entry: SourceEntry,
  target: UpstreamTarget,
  vault: LoginVault,
): Promise<LoginVisit> {
  const back = Promise.withResolvers<URLSearchParams>();
  back.promise.catch(() => undefined);
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname !== '/callback') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', connection: 'close' }).end(THANKS);
    back.resolve(url.searchParams);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const timer = setTimeout(
    () => back.reject(new HubError('unavailable', 'nobody logged in within ten minutes')),
    VISIT_MS,
  );
  timer.unref();
  const { port } = server.address() as AddressInfo;
  const page = Promise.withResolvers<string | undefined>();
  const { connectUpstream } = await import('../../../mcp/upstream/connect.ts');
  const connecting = connectUpstream(target, {
    version: entry.speaks,
    connectMs: VISIT_MS,
    login: {
      ...loginOptions(entry, fresh(vault), `http://127.0.0.1:${port}/callback`),
      authorize(url) {
        page.resolve(url.toString());
        return back.promise;
      },
    },
  });
  const done = connecting
    .then((upstream) => {
      page.resolve(undefined);
      return upstream.close();
    })
    .finally(() => {
      clearTimeout(timer);
      server.close();
      server.closeAllConnections();
    });
  done.catch((error: unknown) => page.reject(error as Error));
  return { page: await page.promise, done };
}

/** Hides what an earlier login left until this one has brought its own: its address differs from the one registered then. */
function fresh(vault: LoginVault): LoginVault {
  const brought = new Set<string>();
  return {
    get: async (key) => (/^(?:client|tokens):/.test(key) && !brought.has(key) ? undefined : vault.get(key)),
    async set(key, value) {
      brought.add(key);
      await vault.set(key, value);
    },
  };
}
