/** How a client reaches one of our servers. */
export type Attachment = HttpAttachment | StdioAttachment;

type Named = Readonly<{ id: string }>;

type HttpAttachment = Named &
  Readonly<{
    transport: 'http';
    url: string;
    /** The client has to send a bearer token, which it takes from the variable HOLDFAST_TOKEN: no secret enters a snippet. */
    needsToken: boolean;
  }>;

export type StdioAttachment = Named &
  Readonly<{
    transport: 'stdio';
    command: string;
    args: readonly string[];
    env: Readonly<Record<string, string>>;
  }>;

export const TRANSPORTS = ['http', 'stdio'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** The servers that can be attached, and what they are called in a client. */
export const SERVER_IDS = {
  tasks: 'clawboo-tasks',
  memory: 'clawboo-memory',
  tools: 'clawboo-tools',
  teamchat: 'clawboo-teamchat',
  brain: 'clawbrain',
  hub: 'holdfast',
} as const;
export type ServerKey = keyof typeof SERVER_IDS;

export function isServerKey(text: string): text is ServerKey {
  return Object.hasOwn(SERVER_IDS, text);
}

export function isTransport(text: string): text is Transport {
  return (TRANSPORTS as readonly string[]).includes(text);
}

export const TOKEN_VARIABLE = 'HOLDFAST_TOKEN';
