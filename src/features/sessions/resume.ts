// How a session is gone on with in its own client. Ids and folders come from files that anybody may have written.
import { shellWord } from '../../kernel/shell-word.ts';
import type { StoredSession } from './rows/tables.ts';

export type Resume = Readonly<{ folder: string; program: string; args: readonly string[] }>;

const COMMANDS: Readonly<Record<string, (id: string) => readonly [string, ...string[]]>> = {
  'claude-code': (id) => ['claude', '--resume', id],
  codex: (id) => ['codex', 'resume', id],
  gemini: (id) => ['gemini', '--resume', id],
  opencode: (id) => ['opencode', '--session', id],
};

/** No option, no path, no sign that means something anywhere. */
const PLAIN_ID = /^[A-Za-z0-9][\w.-]{0,127}$/;

/** Undefined: nothing that one could safely start. */
export function resumeOf({
  client,
  clientId,
  folder,
}: Pick<StoredSession, 'client' | 'clientId' | 'folder'>): Resume | undefined {
  const command = COMMANDS[client];
  if (!command || !PLAIN_ID.test(clientId) || folder === null || !folder.startsWith('/')) return undefined;
  // A terminal would take these for its own.
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f-\u009f]/.test(folder)) return undefined;
  const [program, ...args] = command(clientId);
  return { folder, program, args };
}

export function resumeLine(session: Pick<StoredSession, 'client' | 'clientId' | 'folder'>): string | null {
  const resume = resumeOf(session);
  if (!resume) return null;
  return `cd -- ${shellWord(resume.folder)} && ${[resume.program, ...resume.args].map(shellWord).join(' ')}`;
}
