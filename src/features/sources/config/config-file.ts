import { chmod, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { HubError } from '../../../kernel/errors.ts';
import { newSecret } from '../../../kernel/ids.ts';
import { type Read, readEntries } from './settings.ts';

/** `config.yaml`, as far as sources are concerned: read again when it changes, edited without losing what else is in it. */
export interface SourcesFile {
  /** Undefined while nothing has changed since the last look. */
  look(): Promise<readonly Read[] | undefined>;
  /** Sets an entry, or takes it away. */
  write(name: string, entry: Readonly<Record<string, unknown>> | undefined): Promise<void>;
  /** The entry as it stands in the file. */
  raw(name: string): Promise<Readonly<Record<string, unknown>> | undefined>;
}

export function createConfigFile(path: string, alsoWatched: readonly string[]): SourcesFile {
  let seen: string | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  const read = () => readFile(path, 'utf8').catch(unlessMissing);

  async function edit(name: string, entry: Readonly<Record<string, unknown>> | undefined): Promise<void> {
    const { parseDocument } = await import('yaml');
    const document = parseDocument(await read());
    if (document.errors.length > 0) throw broken(path, document.errors[0]!.message);
    if (entry === undefined) document.deleteIn(['sources', name]);
    else document.setIn(['sources', name], document.createNode(entry));
    const draft = `${path}.${newSecret(4)}`;
    await writeFile(draft, document.toString({ lineWidth: 0 }), { mode: 0o600 });
    await chmod(draft, 0o600);
    await rename(draft, path);
  }

  return {
    async look() {
      const stamps = await Promise.all([path, ...alsoWatched].map(stampOf));
      const stamp = stamps.join(' ');
      if (stamp === seen) return undefined;
      try {
        const text = await read();
        seen = stamp;
        if (text === '') return [];
        const { parse } = await import('yaml');
        return readEntries(parse(text));
      } catch (error) {
        seen = stamp;
        throw broken(path, (error as Error).message);
      }
    },
    write(name, entry) {
      const work = writing.then(() => edit(name, entry));
      writing = work.catch(() => undefined);
      return work;
    },
    async raw(name) {
      const { parse } = await import('yaml');
      const document = parse(await read()) as { sources?: Record<string, Record<string, unknown>> } | null;
      return document?.sources?.[name];
    },
  };
}

/** Changes whenever the file does, also when an editor replaces it. */
async function stampOf(path: string): Promise<string> {
  return stat(path).then(
    ({ mtimeMs, size, ino }) => `${mtimeMs}:${size}:${ino}`,
    () => 'absent',
  );
}

function unlessMissing(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}

function broken(path: string, why: string): HubError {
  return new HubError('invalid', `${path} is not valid YAML: ${why.split('\n')[0]}`, { path });
}
