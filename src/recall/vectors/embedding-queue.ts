import type { Log } from '../../kernel/log.ts';
import { systemActor } from '../../kernel/principal.ts';
import type { Running } from '../../store/consumers.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import { enqueue } from '../../store/jobs.ts';
import { startWorker } from '../../store/worker.ts';
import { MAX_TEXT, type Meaning } from './meaning.ts';
import { createCopying, preparePgvector, putNeighbours } from './pgvector/neighbours.ts';
import * as rows from './rows.ts';

/** The text of items by number, as their owner wants it embedded. */
export type ReadTexts = (q: Query, numbers: readonly number[]) => Promise<ReadonlyMap<number, string>>;

export type EmbeddingQueue = Readonly<{
  db: Database;
  meaning: Meaning;
  texts: ReadTexts;
  holder: string;
  log: Log;
}>;

const QUEUE = 'recall.embed';
const BATCH = 32;
/** After that many tries an item is left alone; words still find it. */
const MAX_ATTEMPTS = 5;
/** How often to see whether an endpoint has appeared or changed. */
const LOOK_MS = 60_000;

/** Called in the transaction of a save: what is saved will be embedded, however long the endpoint is away. */
export async function awaitEmbedding(tx: Tx, number: number): Promise<void> {
  await rows.markPending(tx, number);
  await enqueue(tx, { queue: QUEUE, key: 'pending' });
}

/** Embeds what waits, in batches. A new model, or a new dimension of it, makes everything wait again; old vectors stay until then. */
export function startEmbedding(queue: EmbeddingQueue): Running {
  const { db, meaning, log, holder } = queue;
  const copyPage = createCopying(db, log);
  let preparedFor = '';
  let preparing = Promise.resolve();

  async function prepare(): Promise<void> {
    const provider = await meaning.provider();
    const dims = meaning.dims();
    const wanted = `${dims ?? ''} ${provider?.id ?? ''}`;
    if (!provider || wanted === preparedFor) return;
    const hasPgvector = await preparePgvector(db, log);
    await db.write(systemActor, async (tx) => {
      const missing = await rows.markAllMissing(tx, provider.id, dims);
      if (missing > 0 || hasPgvector) await enqueue(tx, { queue: QUEUE, key: 'pending' });
    });
    preparedFor = wanted;
  }

  function look(): void {
    preparing = preparing
      .then(prepare)
      .catch((error: unknown) => log.warn('Stored memories could not be queued for embedding.', { error }));
  }

  look();
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  const worker = startWorker({
    db,
    queue: QUEUE,
    holder,
    log,
    maxAttempts: Number.MAX_SAFE_INTEGER,
    async run(_job, signal) {
      await preparing;
      for (let goesOn = true; goesOn && !signal.aborted;) {
        const provider = await meaning.provider();
        goesOn =
          provider !== undefined && ((await embedBatch(queue, signal)) || (await copyPage(provider.id)));
        await prepare();
      }
    },
  });
  return {
    async stop() {
      clearInterval(timer);
      await preparing;
      await worker.stop();
    },
  };
}

/** False when nothing waits. */
async function embedBatch(queue: EmbeddingQueue, signal: AbortSignal): Promise<boolean> {
  const { db } = queue;
  const waiting = await db.read(async (q) => {
    const numbers = await rows.pendingNumbers(q, BATCH, MAX_ATTEMPTS);
    return { numbers, texts: await queue.texts(q, numbers) };
  });
  if (waiting.numbers.length === 0) return false;
  const gone = waiting.numbers.filter((number) => !waiting.texts.has(number));
  if (gone.length > 0) await db.write(systemActor, (tx) => rows.clearPending(tx, gone));
  const texts = [...waiting.texts];
  if (texts.length === 0) return true;
  try {
    await embedAll(queue, texts, signal);
  } catch (thrown) {
    if (texts.length === 1 || signal.aborted) throw thrown;
    await embedSingly(queue, { texts, cause: thrown }, signal);
  }
  return true;
}

/**
 * One bad text must not hold up the others, and an endpoint that is away must not make good texts look bad: only
 * what fails while others succeed is counted against itself.
 */
async function embedSingly(
  queue: EmbeddingQueue,
  { texts, cause }: Readonly<{ texts: readonly Text[]; cause: unknown }>,
  signal: AbortSignal,
): Promise<void> {
  const failed: number[] = [];
  for (const text of texts) {
    if (queue.meaning.isOpen()) throw cause;
    await embedAll(queue, [text], signal).catch(() => failed.push(text[0]));
  }
  if (failed.length === texts.length) throw cause;
  await queue.db.write(systemActor, (tx) => rows.countAttempt(tx, failed));
}

type Text = readonly [number, string];

async function embedAll(
  { db, meaning, log }: EmbeddingQueue,
  texts: readonly Text[],
  signal: AbortSignal,
): Promise<void> {
  const provider = await meaning.provider();
  if (!provider) return;
  const vectors = await meaning.embed(
    texts.map(([, text]) => text.slice(0, MAX_TEXT)),
    signal,
  );
  const embedded = texts.map(([number], i) => ({ number, vector: vectors[i]! }));
  await db.write(systemActor, async (tx) => {
    for (const vector of embedded) await rows.putVector(tx, provider.id, vector);
    await putNeighbours(tx, { model: provider.id, vectors: embedded }, log);
    await rows.clearPending(
      tx,
      texts.map(([number]) => number),
    );
  });
}
