import { Worker } from 'node:worker_threads';
import type { ApartAnswer, ApartKind } from '../kernel/apart.ts';
import { toHubError } from '../kernel/errors.ts';

// The process in which one document of somebody else is parsed; it answers once and is ended by the hub.
type Job = Readonly<{ kind: ApartKind; input: never }>;

const JOBS: Readonly<Record<ApartKind, (input: never) => Promise<unknown>>> = {
  document: async (input) =>
    (await import('../features/coretools/files/documents.ts')).readDocumentHere(input),
  page: async (input) => (await import('../features/coretools/web/readable.ts')).extractReadable(input),
  policy: async (input) => (await import('../features/broker/judge/policy/read.ts')).readPolicy(input),
};

/**
 * A parser that is busy hears nobody, so a thread of its own watches over it: memory beyond the bound (buffers count,
 * which the engine's own bound leaves out), or a hub that is gone, end the process at once.
 */
const WATCH = `
  const { workerData } = require('node:worker_threads');
  const parent = process.ppid;
  setInterval(() => {
    if (process.memoryUsage.rss() > workerData || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, 25);
`;

const memoryMb = Number(process.argv[2]);
new Worker(WATCH, {
  eval: true,
  workerData: memoryMb * 1024 * 1024,
  resourceLimits: { maxOldGenerationSizeMb: 16 },
}).unref();

process.once('message', ({ kind, input }: Job) => {
  JOBS[kind](input).then(
    (value) => answer({ ok: true, value }),
    (thrown: unknown) => {
      const { code, message, details } = toHubError(thrown);
      // What a parser cannot cope with is the document's fault, not the hub's.
      if (code === 'internal')
        answer({
          ok: false,
          code: 'invalid',
          message: 'It is too unusual to be read.',
          details: { denied: 'file:damaged' },
        });
      else answer({ ok: false, code, message, details });
    },
  );
});

function answer(said: ApartAnswer): void {
  process.send!(said);
}
