import type { Attachment } from './attachment.ts';
import { shellWord } from '../../kernel/shell-word.ts';
import { tomlTable } from './toml-table.ts';
import { type ClientEntry, entryFor, type Runtime, settingsPath } from './runtimes.ts';

/** What a person pastes to attach a client, and the same as data. */
export type Snippet = Readonly<{ snippet: string; structured: Readonly<Record<string, unknown>> }>;

export function snippetFor(runtime: Runtime, attachment: Attachment): Snippet {
  const entry = entryFor(runtime, attachment);
  return {
    snippet: WRITERS[runtime](attachment, entry),
    structured: structuredFor(runtime, attachment.id, entry),
  };
}

/** Claude Code takes the servers themselves, OpenClaw the entry alone, as documented; the others their settings from the top. */
function structuredFor(runtime: Runtime, id: string, entry: ClientEntry): Readonly<Record<string, unknown>> {
  if (runtime === 'claude-code') return { [id]: entry };
  if (runtime === 'openclaw') return entry;
  return settingsPath(runtime).reduceRight<ClientEntry>((inner, key) => ({ [key]: inner }), { [id]: entry });
}

type Writer = (attachment: Attachment, entry: ClientEntry) => string;

const WRITERS: Readonly<Record<Runtime, Writer>> = {
  'claude-code': (attachment, entry) => {
    if (attachment.transport === 'http') {
      const line = ['claude', 'mcp', 'add', '--transport', 'http', attachment.id, attachment.url];
      return words([...line, ...headerFlags(entry, '--header')]);
    }
    const { id, command, args, env } = attachment;
    return words(['claude', 'mcp', 'add', id, ...variables(env), '--', command, ...args]);
  },
  codex: (attachment, entry) => {
    const place = attachment.transport === 'http' ? '# ~/.codex/config.toml' : '# CODEX_HOME/config.toml';
    return `${place}\n${tomlTable(['mcp_servers', attachment.id], entry)}`;
  },
  openclaw: ({ id }, entry) =>
    `// openclaw.json: add under the top-level "mcp": { "servers": { … } }\n${JSON.stringify(id)}: ${json(entry)}`,
  gemini: (attachment, entry) => {
    if (attachment.transport === 'http') {
      return words([
        'gemini',
        'mcp',
        'add',
        '-t',
        'http',
        ...headerFlags(entry, '-H'),
        attachment.id,
        attachment.url,
      ]);
    }
    const { id, command, args, env } = attachment;
    return words(['gemini', 'mcp', 'add', ...variables(env), id, command, ...args]);
  },
  opencode: ({ id }, entry) =>
    block('~/.config/opencode/opencode.json', structuredFor('opencode', id, entry)),
  cursor: ({ id }, entry) => block('~/.cursor/mcp.json', structuredFor('cursor', id, entry)),
  vscode: ({ id }, entry) => block('.vscode/mcp.json', structuredFor('vscode', id, entry)),
};

function words(parts: readonly string[]): string {
  return parts.map(shellWord).join(' ');
}

function variables(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
}

function headerFlags({ headers }: ClientEntry, flag: string): string[] {
  return Object.entries((headers ?? {}) as Record<string, string>).flatMap(([name, value]) => [
    flag,
    `${name}: ${value}`,
  ]);
}

function block(place: string, settings: unknown): string {
  return `// ${place}\n${json(settings)}`;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
