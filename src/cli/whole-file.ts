import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { cannotWrite } from '../kernel/cannot-write.ts';

/** The name appears only when everything is in it. */
export async function writeWhole(file: string, lines: AsyncGenerator<string>): Promise<void> {
  const draft = `${file}.partial`;
  async function* ended(): AsyncGenerator<string> {
    for await (const line of lines) yield `${line}\n`;
  }
  try {
    // Made anew: a link that waits at this name in a shared folder is neither followed nor kept.
    rmSync(draft, { force: true });
    await pipeline(Readable.from(ended()), createWriteStream(draft, { mode: 0o600, flags: 'wx' }));
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw cannotWrite(file, error);
  }
}
