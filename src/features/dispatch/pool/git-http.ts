// Smart HTTP on the mirrors, for runners alone: read by who has an open attempt of the project, written by the attempt whose ref
// it is. The commands of a push are read here before git sees a byte of it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Pipe, PipeCall } from '../../../http/route.ts';
import { HubError } from '../../../kernel/errors.ts';
import { pipeGit } from '../../../kernel/git/process.ts';
import type { Log } from '../../../kernel/log.ts';
import { hasScope, type Principal, systemActor } from '../../../kernel/principal.ts';
import type { Database } from '../../../store/database.ts';
import { holderOf, openAttemptsOf } from '../rows/attempts.ts';
import { findRun } from '../rows/runs.ts';
import type { Attempt, Run } from '../run.ts';
import { attemptRef, mirrorOf, OUR_GIT, tipOf } from './mirror.ts';
import { requireRunner } from './standing.ts';
import { hearAttempt } from './rows.ts';
import { staleFence } from './reports.ts';

const SERVICES = ['git-upload-pack', 'git-receive-pack'] as const;
type Service = (typeof SERVICES)[number];

type GitParts = Readonly<{ db: Database; log: Log; home: string }>;
type Opened = Readonly<{ mirror: string; own: readonly Readonly<{ run: Run; attempt: Attempt }>[] }>;

export function gitPipes({ db, log, home }: GitParts): Pipe[] {
  /** Only what the caller has an attempt of; of everything else nothing is told. */
  async function open(who: Principal, project: string): Promise<Opened> {
    if (!hasScope(who, 'runs:work'))
      throw new HubError('forbidden', 'This caller lacks the scope runs:work.');
    const found = await db.read(async (q) => {
      const attempts = await openAttemptsOf(q, holderOf(requireRunner(who)));
      return Promise.all(
        attempts.map(async (attempt) => ({ attempt, run: await findRun(q, attempt.runId) })),
      );
    });
    const own = found.flatMap(({ attempt, run }) =>
      run?.worktree && run.fence === attempt.fence && projectOf(run) === project ? [{ attempt, run }] : [],
    );
    const repository = own[0]?.run.worktree?.repository;
    if (repository === undefined)
      throw new HubError('not_found', 'There is no repository here for this runner.');
    return {
      own: own.filter(({ run }) => run.worktree?.repository === repository),
      mirror: mirrorOf(home, repository),
    };
  }

  async function advertise({ who, params, query, res }: PipeCall): Promise<void> {
    const { mirror } = await open(who, params['project'] ?? '');
    const service = serviceOf(query.get('service') ?? '');
    res.writeHead(200, headersOf(`application/x-${service}-advertisement`));
    res.write(`${packet(`# service=${service}\n`)}0000`);
    await serve({
      mirror,
      args: [service.slice(4), '--stateless-rpc', '--http-backend-info-refs', '.'],
      input: undefined,
      res,
    });
  }

  async function fetchPack({ who, params, req, res }: PipeCall): Promise<void> {
    const { mirror } = await open(who, params['project'] ?? '');
    res.writeHead(200, headersOf('application/x-git-upload-pack-result'));
    await serve({ mirror, args: ['upload-pack', '--stateless-rpc', '.'], input: bodyOf(req), res });
  }

  async function receivePack({ who, params, req, res }: PipeCall): Promise<void> {
    const { mirror, own } = await open(who, params['project'] ?? '');
    const { head, refs, rest } = await readCommands(bodyOf(req));
    const target = own.find(({ attempt }) =>
      refs.every((ref) => ref === attemptRef(attempt.runId, attempt.n)),
    );
    if (refs.length > 0 && !target) throw staleFence(own[0]!.run.id);
    res.writeHead(200, headersOf('application/x-git-receive-pack-result'));
    const done = target && (() => remember(mirror, target));
    await serve({
      mirror,
      args: ['receive-pack', '--stateless-rpc', '.'],
      input: joined(head, rest),
      most: MOST_RECEIVING,
      res,
      done,
    });
  }

  /** The next attempt begins here, unless this one was taken away meanwhile. */
  async function remember(mirror: string, { attempt, run }: Opened['own'][number]): Promise<void> {
    const pushed = await tipOf(mirror, attemptRef(attempt.runId, attempt.n));
    await db.write(systemActor, async (tx) => {
      const now = await findRun(tx, run.id);
      if (pushed !== undefined && now?.fence === attempt.fence)
        await hearAttempt(tx, attempt, { pushed, mirror });
    });
  }

  const at = (what: string) => `/git/:project.git/${what}`;
  const guarded = (handle: (call: PipeCall) => Promise<void>) => async (call: PipeCall) => {
    try {
      await handle(call);
    } catch (error) {
      if (!call.res.headersSent) throw error;
      log.info('a transfer of a run broke off', { error });
      call.res.destroy();
    }
  };
  return [
    { method: 'GET', path: at('info/refs'), handle: guarded(advertise) },
    { method: 'POST', path: at('git-upload-pack'), handle: guarded(fetchPack) },
    { method: 'POST', path: at('git-receive-pack'), handle: guarded(receivePack) },
  ];
}

/** What a run's repository is called in an address. */
export function projectOf({ project, worktree }: Run): string {
  return encodeURIComponent(project ?? worktree?.branch ?? 'work').replaceAll('%', '_');
}

function serviceOf(text: string): Service {
  const found = SERVICES.find((each) => each === text);
  if (found) return found;
  throw new HubError('invalid', 'This is for git alone.');
}

const headersOf = (type: string) => ({ 'content-type': type, 'cache-control': 'no-store' });

function packet(text: string): string {
  return (text.length + 4).toString(16).padStart(4, '0') + text;
}

/** Never more than a push may be, however well it was packed. */
const MOST_BODY = 600 * 1024 * 1024;

async function* bodyOf(req: IncomingMessage): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of req.headers['content-encoding'] === 'gzip' ? unzipped(req) : req) {
      size += (chunk as Buffer).length;
      if (size > MOST_BODY) throw new HubError('too_large', 'This is more than one push may bring.');
      yield chunk as Buffer;
    }
  } catch (error) {
    throw error instanceof HubError ? error : new HubError('invalid', 'This broke off.').because(error);
  }
}

/** Whichever of the two ends first takes the other along: what is written after an end would be the end of the hub. */
function unzipped(req: IncomingMessage): Readable {
  const unzip = createGunzip();
  pipeline(req, unzip).catch(() => undefined);
  return unzip;
}

const MOST_COMMANDS = 64 * 1024;

type Commands = Readonly<{ head: Buffer; refs: readonly string[]; rest: AsyncGenerator<Buffer> }>;

/** The refs that a push names, from its first packets: `old new ref`, up to a flush. */
async function readCommands(rest: AsyncGenerator<Buffer>): Promise<Commands> {
  let head = Buffer.alloc(0);
  const refs: string[] = [];
  for (let at = 0; ;) {
    while (head.length < at + 4) head = await more(head, rest);
    const size = Number.parseInt(head.toString('latin1', at, at + 4), 16);
    if (size === 0) return { head, refs, rest };
    if (!(size >= 4) || at + size > MOST_COMMANDS)
      throw new HubError('invalid', 'This is no push that can be read.');
    while (head.length < at + size) head = await more(head, rest);
    const line = head.toString('utf8', at + 4, at + size);
    at += size;
    // Where the history of who pushes begins.
    if (/^shallow [0-9a-f]{40,64}$/.test(line.trimEnd())) continue;
    const [, ref] = /^[0-9a-f]{40,64} [0-9a-f]{40,64} ([^\0\n]+)/.exec(line) ?? [];
    if (ref === undefined) throw new HubError('invalid', 'This is no push that can be read.');
    refs.push(ref);
  }
}

async function more(head: Buffer, rest: AsyncGenerator<Buffer>): Promise<Buffer<ArrayBuffer>> {
  const next = (await rest.next()) as IteratorResult<Buffer, undefined>;
  if (next.done === true || head.length > 2 * MOST_COMMANDS)
    throw new HubError('invalid', 'This is no push that can be read.');
  return Buffer.concat([head, next.value]);
}

async function* joined(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* rest;
}

/** A few bytes can ask git to make texts of gigabytes, or to make them a million times. */
const MOST_RECEIVING = { megabytes: 1_024, seconds: 300 } as const;

/** What was refused may be much to take away again. */
const LEAVE_MS = 30_000;

type Serving = Readonly<{
  mirror: string;
  args: readonly string[];
  input: AsyncGenerator<Buffer> | undefined;
  most?: typeof MOST_RECEIVING;
  res: ServerResponse;
  done?: (() => Promise<void>) | undefined;
}>;

async function serve({ mirror, args, input, most, res, done }: Serving): Promise<void> {
  const child = pipeGit({ cwd: mirror, args, env: { ...OUR_GIT, HOME: mirror, GIT_DIR: mirror }, most });
  const exited = new Promise<void>((resolve) => {
    child.once('error', () => resolve()).once('exit', () => resolve());
  });
  child.stdin.on('error', () => undefined);
  const fed = input ? pipeline(Readable.from(input), child.stdin) : Promise.resolve(child.stdin.end());
  try {
    // Both are heard: one that fails alone would be nobody's.
    await Promise.all([pipeline(child.stdout, res, { end: false }), fed]);
  } finally {
    // Whatever broke off, git sees the end of it and tidies up after itself; only one that does not is made to.
    const ending = (['SIGTERM', 'SIGKILL'] as const).map((signal, i) =>
      setTimeout(() => child.kill(signal), (i + 1) * LEAVE_MS),
    );
    await exited;
    ending.forEach(clearTimeout);
    // What was pushed is known here before its runner hears that it was taken, and also where it never hears.
    await done?.();
  }
  res.end();
}
