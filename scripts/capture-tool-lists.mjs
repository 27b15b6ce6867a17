// Asks MCP servers for their tools and keeps the answers as fixtures: name, description, argument schema, annotations.
// Usage: node scripts/capture-tool-lists.mjs <folder to write to> <name>=<command line> …
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [folder, ...servers] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
for (const given of servers) {
  const [, name, line] = /^([\w-]+)=(.+)$/.exec(given);
  const [command, ...args] = line.split(' ');
  const client = new Client({ name: 'capture', version: '0' });
  try {
    await client.connect(
      new StdioClientTransport({ command, args, env: { ...process.env }, stderr: 'ignore' }),
      { timeout: 30_000 },
    );
    const { tools } = await client.listTools();
    const kept = tools.map(({ name: tool, title, description, inputSchema, annotations }) => ({
      name: tool,
      title,
      description,
      inputSchema,
      annotations,
    }));
    writeFileSync(
      join(folder, `${name}.json`),
      `${JSON.stringify({ server: client.getServerVersion(), tools: kept }, null, 1)}\n`,
    );
    console.log(`${name}: ${tools.length} tools`);
  } catch (error) {
    console.log(`${name}: ${error.message}`);
  }
  await client.close().catch(() => undefined);
}
