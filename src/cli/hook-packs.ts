/** What each client must be told so that its sessions register and see their mail. Printed for a person to put there. */
export type HookPack = Readonly<{ file: string; note?: string; text: string }>;

/** What to do at each moment of a client's life; the names are the client's own. */
export type Moment = 'start' | 'prompt' | 'tool' | 'rest' | 'end';

const COMMAND = (client: string) => `holdfast hooks run ${client}`;

export const MOMENTS = {
  'claude-code': {
    SessionStart: 'start',
    UserPromptSubmit: 'prompt',
    PostToolUse: 'tool',
    Notification: 'rest',
    Stop: 'rest',
    SessionEnd: 'end',
  },
  codex: { SessionStart: 'start', UserPromptSubmit: 'prompt', PostToolUse: 'tool', Stop: 'rest', SessionEnd: 'end' },
  gemini: { SessionStart: 'start', BeforeAgent: 'prompt', AfterTool: 'tool', Notification: 'rest', AfterAgent: 'rest', SessionEnd: 'end' },
  // Nothing reaches the model when a session begins: mail fetched then would be lost.
  opencode: { 'session.created': 'rest', 'tool.execute.after': 'tool', 'session.idle': 'rest', 'session.deleted': 'end' },
} as const satisfies Record<string, Readonly<Record<string, Moment>>>;

export type HookClient = keyof typeof MOMENTS;

export function isHookClient(name: string): name is HookClient {
  return Object.hasOwn(MOMENTS, name);
}

export const HOOK_CLIENTS = Object.keys(MOMENTS) as HookClient[];

export function packFor(client: HookClient): HookPack {
  return PACKS[client]();
}

const PACKS: Readonly<Record<HookClient, () => HookPack>> = {
  'claude-code': () => ({
    file: '~/.claude/settings.json, or .claude/settings.json in a project',
    text: table('claude-code', 10),
  }),
  codex: () => ({
    file: '~/.codex/hooks.json, or .codex/hooks.json in a project',
    note: 'Codex asks you to review new hooks and runs them once you trust them. Before 0.145 it has none for the end of a session: its peer goes offline after a minute.',
    text: table('codex', 10),
  }),
  gemini: () => ({ file: '~/.gemini/settings.json, or .gemini/settings.json in a project', text: table('gemini', 10_000) }),
  opencode: () => ({ file: '~/.config/opencode/plugins/holdfast.js, or .opencode/plugins/holdfast.js in a project', text: PLUGIN }),
};

/** The three clients with command hooks share one shape; only the unit of the time-out differs. */
function table(client: Exclude<HookClient, 'opencode'>, timeout: number): string {
  const entry = [{ hooks: [{ type: 'command', command: COMMAND(client), timeout }] }];
  const hooks = Object.fromEntries(Object.keys(MOMENTS[client]).map((event) => [event, entry]));
  return JSON.stringify({ hooks }, null, 2);
}

const PLUGIN = `// Registers OpenCode sessions with Holdfast and brings their mail along with tool results.
export const Holdfast = async ({ $, directory }) => {
  const tell = async (event, session) => {
    const given = JSON.stringify({ hook_event_name: event, session_id: session, cwd: directory });
    const done = await $\`holdfast hooks run opencode < \${new Response(given)}\`.quiet().nothrow();
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
