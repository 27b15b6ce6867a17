import { type HookClient, MOMENTS } from '../../features/attach/hooks/moments.ts';
import { shellWord } from '../../kernel/shell-word.ts';

/** What each client must be told so that its sessions register and see their mail. Printed for a person to put there. */
export type HookPack = Readonly<{ file: string; note?: string; text: string }>;

/** The words of the command that a hook runs, before the name of the client and after it. */
export type HookCommand = Readonly<{ holdfast: readonly string[]; options: readonly string[] }>;

function wordsOf(client: HookClient, { holdfast, options }: HookCommand): readonly string[] {
  return [...holdfast, 'hooks', 'run', client, ...options];
}

export function packFor(client: HookClient, command: HookCommand): HookPack {
  return PACKS[client](wordsOf(client, command));
}

type Words = readonly string[];

const PACKS: Readonly<Record<HookClient, (words: Words) => HookPack>> = {
  'claude-code': (words) => ({
    file: '~/.claude/settings.json, or .claude/settings.json in a project',
    text: table('claude-code', words),
  }),
  codex: (words) => ({
    file: '~/.codex/hooks.json, or .codex/hooks.json in a project',
    note: 'Codex asks you to review new hooks and runs them once you trust them. Before 0.145 it has none for the end of a session: its peer goes offline after a minute.',
    text: table('codex', words),
  }),
  gemini: (words) => ({
    file: '~/.gemini/settings.json, or .gemini/settings.json in a project',
    text: table('gemini', words),
  }),
  opencode: (words) => ({
    file: '~/.config/opencode/plugins/holdfast.js, or .opencode/plugins/holdfast.js in a project',
    text: plugin(words),
  }),
};

type TableClient = Exclude<HookClient, 'opencode'>;

/** The three clients with command hooks share one shape; only the unit of the time-out differs. */
function table(client: TableClient, words: Words): string {
  return JSON.stringify({ hooks: tableOf(client, words) }, null, 2);
}

function tableOf(client: TableClient, words: Words): Readonly<Record<string, readonly unknown[]>> {
  const timeout = client === 'gemini' ? 10_000 : 10;
  const entry = [{ hooks: [{ type: 'command', command: words.map(shellWord).join(' '), timeout }] }];
  return Object.fromEntries(Object.keys(MOMENTS[client]).map((event) => [event, entry]));
}

/** What stands in the settings of a client: lists by event, or the lines of a plugin. */
export function hookEntry(client: HookClient, command: HookCommand): Readonly<Record<string, unknown>> {
  const words = wordsOf(client, command);
  return client === 'opencode' ? { text: `${plugin(words)}\n` } : tableOf(client, words);
}

/** One of ours, whichever version wrote it and wherever it lay then. */
export function isOurHook(element: string): boolean {
  return /holdfast/.test(element) && /\bhooks run (claude-code|codex|gemini)\b/.test(element);
}

const plugin = (
  words: Words,
) => `// Registers OpenCode sessions with Holdfast and brings their mail along with tool results.
const command = ${JSON.stringify(words)};
export const Holdfast = async ({ $, directory }) => {
  const tell = async (event, session) => {
    const given = JSON.stringify({ hook_event_name: event, session_id: session, cwd: directory });
    const done = await $\`\${command} < \${new Response(given)}\`.quiet().nothrow();
    return done.stdout.toString().trim();
  };
  const told = ['session.created', 'session.idle', 'session.deleted'];
  return {
    event: async ({ event }) => {
      const { info, sessionID } = event.properties ?? {};
      const session = info?.id ?? sessionID;
      if (told.includes(event.type) && session && !info?.parentID) await tell(event.type, session);
    },
    'tool.execute.after': async (input, output) => {
      const isText = typeof output.output === 'string';
      // The result of an MCP tool is a list of blocks. Mail is fetched only where it can be shown.
      if (!isText && !Array.isArray(output.content)) return;
      const mail = await tell('tool.execute.after', input.sessionID);
      if (mail === '') return;
      if (isText) output.output += \`\\n\\n\${mail}\`;
      else output.content.push({ type: 'text', text: mail });
    },
  };
};`;
