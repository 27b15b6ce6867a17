/** What the clients that have hooks call the moments of a session's life, and what each is to us. */
export type Moment = 'start' | 'prompt' | 'tool' | 'rest' | 'end';

export const MOMENTS = {
  'claude-code': {
    SessionStart: 'start',
    UserPromptSubmit: 'prompt',
    PostToolUse: 'tool',
    Notification: 'rest',
    Stop: 'rest',
    SessionEnd: 'end',
  },
  codex: {
    SessionStart: 'start',
    UserPromptSubmit: 'prompt',
    PostToolUse: 'tool',
    Stop: 'rest',
    SessionEnd: 'end',
  },
  gemini: {
    SessionStart: 'start',
    BeforeAgent: 'prompt',
    AfterTool: 'tool',
    Notification: 'rest',
    AfterAgent: 'rest',
    SessionEnd: 'end',
  },
  // Nothing reaches the model when a session begins: mail fetched then would be lost.
  opencode: {
    'session.created': 'rest',
    'tool.execute.after': 'tool',
    'session.idle': 'rest',
    'session.deleted': 'end',
  },
} as const satisfies Record<string, Readonly<Record<string, Moment>>>;

export type HookClient = keyof typeof MOMENTS;

export const HOOK_CLIENTS = Object.keys(MOMENTS) as HookClient[];

export function isHookClient(name: string): name is HookClient {
  return Object.hasOwn(MOMENTS, name);
}

/** Undefined for an event that is nothing to us. */
export function momentOf(client: HookClient, event: string): Moment | undefined {
  const moments: Readonly<Record<string, Moment>> = MOMENTS[client];
  return Object.hasOwn(moments, event) ? moments[event] : undefined;
}
