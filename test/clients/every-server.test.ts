import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { openTestHub } from '../fixtures/hub.ts';
import type { TestHub } from '../fixtures/hub.ts';
import { SDK_FLAVOURS, connectSdk } from '../fixtures/mcp-sdk-clients.ts';
import type { SdkFlavour, Target } from '../fixtures/mcp-sdk-clients.ts';

/** Every hosted server, over every way in, with every official client. The clients check each message against its schema. */
const SERVERS = {
  tasks: 'clawboo-tasks',
  memory: 'clawboo-memory',
  tools: 'clawboo-tools',
  teamchat: 'clawboo-teamchat',
  brain: 'clawbrain',
  hub: 'holdfast',
} as const;
type Key = keyof typeof SERVERS;

const stdio = (key: Key, home: string): Target => ({
  command: process.execPath,
  args: [join(import.meta.dirname, '../fixtures/stdio-server.ts'), key],
  env: { ...(process.env as Record<string, string>), HOLDFAST_HOME: home },
});

const WAYS: Record<string, (key: Key, hub: TestHub) => Target> = {
  HTTP: (key, { address, token }) =>
    key === 'hub'
      ? { url: `${address}/mcp`, headers: { authorization: `Bearer ${token}` } }
      : { url: `${address}/api/mcp/${key}` },
  'stdio beside a hub': (key, { config }) => stdio(key, config.home),
  'stdio alone': (key) => stdio(key, freshFolder()),
};

async function tryOut(flavour: SdkFlavour, key: Key, target: Target): Promise<string> {
  const client = await connectSdk(flavour, target);
  try {
    expect(client.server().name).toBe(SERVERS[key]);
    const tools = await client.tools();
    expect(tools).toEqual(tools.toSorted());
    expect(tools.length).toBeGreaterThan(0);
    const refused = await client.call(tools[0]!, { no_such_argument: 1 });
    expect(refused.isError).toBe(true);
    expect(refused.content?.[0]?.text).toContain('unknown argument "no_such_argument"');
    await expect(client.call('no_such_tool')).rejects.toThrow('Unknown tool');
    return `${tools.length} tools`;
  } finally {
    await client.close();
  }
}

test.each(Object.keys(WAYS))(
  'every server serves every official client over %s',
  async (way) => {
    const hub = await openTestHub();
    const rows: string[] = [];
    for (const key of Object.keys(SERVERS) as Key[]) {
      const cells = await Promise.all(
        SDK_FLAVOURS.map((flavour) => tryOut(flavour, key, WAYS[way]!(key, hub))),
      );
      rows.push([SERVERS[key].padEnd(18), ...cells.map((cell) => cell.padEnd(28))].join(' '));
    }
    process.stdout.write(
      `\n${way.padEnd(18)} ${SDK_FLAVOURS.map((flavour) => flavour.padEnd(28)).join(' ')}\n${rows.join('\n')}\n`,
    );
  },
  240_000,
);
