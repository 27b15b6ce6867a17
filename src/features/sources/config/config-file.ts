import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { editConfigText } from '../../../kernel/config-text.ts';
import { HubError } from '../../../kernel/errors.ts';
import { newSecret } from '../../../kernel/ids.ts';
import { stampOfFile, unlessMissing } from '../../../kernel/maybe-file.ts';
import { createTurns } from '../../../kernel/turns.ts';
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
  const writing = createTurns();

  const read = async () => (await readFile(path, 'utf8').catch(unlessMissing)) ?? '';

  async function edit(name: string, entry: Readonly<Record<string, unknown>> | undefined): Promise<void> {
    const text = await editConfigText({ path, text: await read() }, [
      { path: ['sources', name], value: entry },
    ]);
    const draft = `${path}.${newSecret(4)}`;
    await writeFile(draft, text, { mode: 0o600 });
    await chmod(draft, 0o600);
    await rename(draft, path);
  }

  return {
    async look() {
      const stamp = [path, ...alsoWatched].map(stampOfFile).join(' ');
      if (stamp === seen) return undefined;
      try {
        const text = await read();
        seen = stamp;
        if (text === '') return [];
        const { readYaml } = await import('../../../kernel/yaml-text.ts');
        return readEntries(readYaml(text));
      } catch (error) {
        seen = stamp;
        throw broken(path, (error as Error).message);
      }
    },
    write: (name, entry) => writing.take(() => edit(name, entry)),
    async raw(name) {
      const { readYaml } = await import('../../../kernel/yaml-text.ts');
      const document = readYaml(await read()) as { sources?: Record<string, Record<string, unknown>> } | null;
      return document?.sources?.[name];
    },
  };
}

function broken(path: string, why: string): HubError {
  return new HubError('invalid', `${path} is not valid YAML: ${why.split('\n')[0]}`, { path });
}
