import { setTimeout as sleep } from 'node:timers/promises';
import type { HubCommand } from '../client.ts';

const LOOK_EVERY_MS = 1_000;
/** A batch takes seconds on a slow machine; what stands still for longer is not being worked at. */
const STILL_MS = 30_000;
const UNITS = ['bytes', 'kB', 'MB', 'GB'] as const;

/** `holdfast memory embed`: whether memories are found by meaning too, how far that is, and what it takes. */
export async function showEmbedding({ world, client, options }: HubCommand): Promise<void> {
  let answer = await client.ask('GET /api/memory/embedding', {});
  const isWaiting = options['wait'] === true && answer.provider.available;
  const first = answer.progress?.left ?? 0;
  const started = performance.now();
  let [least, movedAt] = [first, started];
  while (isWaiting && (answer.progress?.left ?? 0) > 0 && answer.provider.available) {
    const { embedded, left } = answer.progress!;
    if (left < least) [least, movedAt] = [left, performance.now()];
    if (performance.now() - movedAt > STILL_MS) {
      world.tell('Nothing moves. Only a hub that runs embeds: holdfast up');
      break;
    }
    const done = first - left;
    const seconds = done > 0 ? Math.ceil(((performance.now() - started) / 1_000 / done) * left) : undefined;
    world.tell(`${embedded} embedded, ${left} left${seconds === undefined ? '' : `, about ${seconds} s`}`);
    await sleep(LOOK_EVERY_MS);
    answer = await client.ask('GET /api/memory/embedding', {});
  }
  if (options['json']) return world.print(JSON.stringify(answer));
  const { provider, progress } = answer;
  if (provider.id === null)
    return world.print(
      'model     none: memories are found by their words\n' +
        'Found by meaning too: start Ollama, LM Studio or llama.cpp, then holdfast setup --embedding',
    );
  world.print(
    [
      `model     ${provider.id}${provider.available ? '' : ' (not answering: words alone decide)'}`,
      ...(progress
        ? [
            `embedded  ${progress.embedded} of ${progress.embedded + progress.left} facts`,
            `left      ${progress.left}${progress.left > 0 ? `, about ${progress.tokensLeft} tokens to send` : ''}`,
            `on disk   ${sizeOf(progress.bytes)}${progress.dims === null ? '' : `, ${progress.dims} numbers each`}`,
          ]
        : []),
    ].join('\n'),
  );
}

function sizeOf(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${UNITS[power]}`;
}
