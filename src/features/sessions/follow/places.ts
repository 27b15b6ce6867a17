// Where clients keep their sessions. Links are not followed: what lies elsewhere is not theirs, or is found where it lies.
import { opendir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { readClaudeCode } from '../readers/claude-code.ts';
import { readCodex } from '../readers/codex.ts';
import { readGemini } from '../readers/gemini.ts';
import type { LineReader } from '../readers/reader.ts';
import type { Environment } from '../../../kernel/config.ts';
import type { SessionClient } from '../settings.ts';

export type SessionPlace = Readonly<{
  client: SessionClient;
  root: string;
  /** Folders below the root that files lie in, at most. */
  depth: number;
  isSession(path: string): boolean;
  /** `lines`: files that grow; `rows`: a database; `tree`: a file that names others. */
  form: Readonly<{ kind: 'lines'; read: LineReader } | { kind: 'rows' } | { kind: 'tree' }>;
  /** What else changes when something is said. */
  besides?(path: string): string;
}>;

type PlacesOf = (home: string, env: Environment) => SessionPlace | readonly SessionPlace[];

const PLACES: Readonly<Record<SessionClient, PlacesOf>> = {
  'claude-code': (home, env) => ({
    client: 'claude-code',
    root: join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'projects'),
    depth: 3,
    isSession: (path) => path.endsWith('.jsonl'),
    form: { kind: 'lines', read: readClaudeCode },
  }),
  codex: (home, env) => ({
    client: 'codex',
    root: join(env['CODEX_HOME'] || join(home, '.codex'), 'sessions'),
    depth: 3,
    isSession: (path) => /^rollout-.*\.jsonl$/.test(basename(path)),
    form: { kind: 'lines', read: readCodex },
  }),
  gemini: (home) => ({
    client: 'gemini',
    root: join(home, '.gemini', 'tmp'),
    depth: 2,
    isSession: (path) => /[/\\]chats[/\\][^/\\]+\.jsonl?$/.test(path),
    form: { kind: 'lines', read: readGemini },
  }),
  opencode(home, env) {
    const root = join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'opencode');
    const client = 'opencode';
    return [
      // Before its versions had a database. What both have is known by the same ids, and kept once.
      {
        client,
        root: join(root, 'storage', 'session'),
        depth: 1,
        isSession: (path) => /^ses_.*\.json$/.test(basename(path)),
        form: { kind: 'tree' },
        besides: (path) => join(root, 'storage', 'message', basename(path, '.json')),
      },
      {
        client,
        root,
        depth: 0,
        isSession: (path) => basename(path) === 'opencode.db',
        form: { kind: 'rows' },
        besides: (path) => `${path}-wal`,
      },
    ];
  },
};

export function placesOf(client: SessionClient, env: Environment): readonly SessionPlace[] {
  return [PLACES[client](env['HOME'] || homedir(), env)].flat();
}

/** Every file of a session, in no order. A folder that cannot be read is told; one that is not there has none. */
export async function* listSessionFiles(
  place: SessionPlace,
  tell: (error: unknown) => void,
): AsyncGenerator<string> {
  const below = [{ folder: place.root, depth: 0 }];
  for (let next = below.pop(); next; next = below.pop()) {
    try {
      for await (const entry of await opendir(next.folder)) {
        const path = join(next.folder, entry.name);
        if (entry.isDirectory() && next.depth < place.depth)
          below.push({ folder: path, depth: next.depth + 1 });
        else if (entry.isFile() && place.isSession(path)) yield path;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') tell(error);
    }
  }
}
