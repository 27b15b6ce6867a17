// What a push to the hub's mirror may not do: bring more than it may, make git eat the machine, or leave what nobody can check out.
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { descendantsOf, readProcesses } from '../../src/kernel/process/table.ts';
import { freshFolder } from '../fixtures/databases.ts';
import {
  blobOf,
  commitOf,
  headOf,
  idOf,
  packHead,
  packOf,
  pushOf,
  repeatDelta,
  treeOf,
} from '../fixtures/git-packs.ts';
import { hubForRunners } from '../fixtures/pool-hub.ts';
import { commit, git, newRepositoryWithCommit } from '../fixtures/repositories.ts';

const MB = 1024 * 1024;
const LONG = { timeout: 120_000 };
const NOBODY = 'a'.repeat(40);
const file = (name: string, id: string) => ({ name, mode: '100644', id }) as const;
const folder = (name: string, id: string) => ({ name, mode: '40000', id }) as const;

it('more than a push may bring is refused, packed or not, and nothing of it stays', LONG, async () => {
  const hub = await world();
  expect(hub.settings('receive.maxInputSize', 'transfer.fsckObjects')).toEqual(['536870912', 'true']);
  // Half a gigabyte takes a while: the same at a hundredth of it.
  hub.set('receive.maxInputSize', `${5 * MB}`);
  const size = 16 * MB;
  await hub.refused(async function* () {
    yield Buffer.concat([pushOf(hub.ref, NOBODY), packHead(1), headOf(3, size), Buffer.from([0x78, 1])]);
    for (let sent = 0; sent < size; sent += MB) yield storedBlocks(MB);
  });
  const zeros = gzipSync(Buffer.alloc(10 * MB));
  const zipped = gzipSync(Buffer.concat([pushOf(hub.ref, NOBODY), packHead(1)]));
  const asGzip = { 'content-encoding': 'gzip' };
  await hub.refused(() => [zipped, ...Array.from({ length: 70 }, () => zeros)], asGzip);
  await hub.refused(
    () => [zipped, Buffer.from('no gzip at all'), ...Array.from({ length: 9 }, () => zeros)],
    asGzip,
  );
  hub.works();
});

it('what a git that was killed left behind is taken away when it is old', LONG, async () => {
  const hub = await world();
  const [old, fresh] = ['tmp_objdir-incoming-old', 'tmp_objdir-incoming-new'].map((name) =>
    hub.objects(name),
  );
  for (const path of [old!, fresh!]) mkdirSync(path);
  utimesSync(old!, 1, 1);
  await hub.another();
  expect([existsSync(old!), existsSync(fresh!)]).toEqual([false, true]);
});

it('what git took when its hub was killed counts, although nobody was told', LONG, async () => {
  const hub = await world();
  const far = join(freshFolder(), 'far');
  git(hub.repository, 'clone', '-q', hub.repository, far);
  const made = commit(far);
  git(far, 'push', '-q', hub.objects('..'), `${made}:${hub.ref}`);
  expect(await hub.end()).toBe('done');
  expect(git(hub.repository, 'for-each-ref', '--format=%(objectname)', 'refs/heads/holdfast')).toBe(made);
});

it('a few bytes that become gigabytes are refused before they do', LONG, async () => {
  const hub = await world();
  const base = blobOf(Buffer.alloc(16 * MB));
  const made = { type: 'delta', base: idOf(base), body: repeatDelta(16 * MB, 8_192 * MB) } as const;
  const pack = packOf([base, made]);
  expect(pack.length).toBeLessThan(MB);
  await hub.refused(() => [pushOf(hub.ref, NOBODY), pack]);
  hub.works();
});

it('trees that hold each other, and names that lead elsewhere, are refused', LONG, async () => {
  const hub = await world();
  const blob = blobOf('x');
  const levels = [treeOf(Array.from({ length: 10 }, (_, i) => file(`f${i}`, idOf(blob))))];
  for (let i = 0; i < 9; i += 1)
    levels.push(treeOf(Array.from({ length: 10 }, (_, n) => folder(`d${n}`, idOf(levels.at(-1)!)))));
  const bomb = commitOf(idOf(levels.at(-1)!), hub.tip);
  await hub.refused(
    () => [pushOf(hub.ref, idOf(bomb)), packOf([blob, ...levels, bomb])],
    {},
    /pre-receive hook declined/,
  );
  for (const name of ['.git', '..', 'a/b']) {
    const tree = treeOf([file(name, idOf(blob))]);
    const bad = commitOf(idOf(tree), hub.tip);
    await hub.refused(() => [pushOf(hub.ref, idOf(bad)), packOf([blob, tree, bad])], {}, /unpack|fsck/);
  }
  hub.works();
});

/** An attempt that may push. */
async function world() {
  const hub = await hubForRunners();
  const repository = newRepositoryWithCommit(freshFolder());
  const { token } = hub.token('one');
  const claim = await hub.give(hub.as(token), { cwd: repository, needs: ['here'] });
  const tip = git(repository, 'rev-parse', 'HEAD');
  const mirrors = join(hub.env['HOLDFAST_HOME']!, 'mirrors');
  const files = () => readdirSync(mirrors, { recursive: true, encoding: 'utf8' }).toSorted();
  const { ref, url } = claim.git as { ref: string; url: string };

  async function push(chunks: AsyncIterable<Buffer>, headers: Record<string, string>): Promise<string> {
    const answer = await fetch(`${hub.address}${url}/git-receive-pack`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/x-git-receive-pack-request',
        ...headers,
      },
      body: ReadableStream.from(chunks),
      duplex: 'half',
    });
    return `${answer.status} ${await answer.text()}`;
  }

  const config = join(mirrors, readdirSync(mirrors)[0]!, 'config');
  return {
    ref,
    tip,
    repository,
    async end(): Promise<string> {
      const { run, attempt, fence } = claim;
      const path = `/v1/runners/runs/${run}/${attempt}/end`;
      return (await hub.as(token)('POST', path, { fence, state: 'done' })).body.state;
    },
    objects: (name: string) => join(config, '..', 'objects', name),
    /** A run of the same repository begins. */
    async another(): Promise<void> {
      const two = hub.as(hub.token('two').token);
      await hub.give(two, { cwd: repository, needs: ['here'] });
    },
    settings: (...keys: string[]) => keys.map((key) => git(repository, 'config', '-f', config, key)),
    set: (key: string, value: string) => void git(repository, 'config', '-f', config, key, value),
    /** Neither hub nor git took much for it, nothing is left, and its attempt goes on. */
    async refused(
      chunks: () => Iterable<Buffer> | AsyncIterable<Buffer>,
      headers: Record<string, string> = {},
      why?: RegExp,
    ): Promise<void> {
      const before = files();
      const began = residentOf(hub.pid);
      let most = { hub: 0, git: 0 };
      const watching = setInterval(() => {
        const below = descendantsOf(hub.pid, readProcesses());
        const used = below.reduce((sum, { pid }) => sum + residentOf(pid), 0);
        most = { hub: Math.max(most.hub, residentOf(hub.pid)), git: Math.max(most.git, used) };
      }, 20);
      const all = (async function* () {
        yield* chunks();
      })();
      // What is too much is cut off while it is sent.
      const said = await push(all, headers).catch((error: Error) => `cut: ${error.message}`);
      clearInterval(watching);
      expect(said).not.toContain(`ok ${ref}`);
      if (why) expect(said).toMatch(why);
      expect(most.hub - began).toBeLessThan(250 * MB);
      expect(most.git).toBeLessThan(1_200 * MB);
      await expect.poll(files, { timeout: 60_000 }).toEqual(before);
      // A connection that was cut off takes one more request along.
      const busy = () =>
        hub.operator('GET', '/v1/runners').then(
          ({ body }) => body.runners,
          () => [],
        );
      await expect.poll(busy, { timeout: 20_000 }).toMatchObject([{ busy: 1 }]);
    },
    /** What is pushed as it should be is taken afterwards as before. */
    works(): void {
      const who = `http.extraHeader=Authorization: Bearer ${token}`;
      const made = commit(repository);
      git(repository, '-c', who, 'push', '-q', `${hub.address}${url}`, `HEAD:${ref}`);
      expect(git(repository, '-c', who, 'ls-remote', `${hub.address}${url}`)).toContain(`${made}\t${ref}`);
    },
  };
}

/** A part of a text that was packed without being made smaller. */
function storedBlocks(size: number): Buffer {
  const block = Buffer.alloc(5 + 0xff_ff);
  block.writeUInt16LE(0xff_ff, 1);
  block.writeUInt16LE(0, 3);
  return Buffer.concat(Array.from({ length: Math.ceil(size / block.length) }, () => block));
}

function residentOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
