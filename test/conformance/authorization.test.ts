import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { expect, onTestFinished, test } from 'vitest';
import { openBeingHost } from '../fixtures/being-host.ts';
import { freePort } from '../fixtures/free-port.ts';
import { registerClient, signIn } from '../fixtures/oauth-person.ts';

/** The official suite's authorization-server scenarios against a hub; a signed-in person answers the page it asks to open. */
test.each(['', '/mcp'])('the authorization scenarios pass at %j', { timeout: 120_000 }, async (issuer) => {
  const host = await openBeingHost();
  const luna = await host.create('Luna');
  const person = await signIn(host);
  const port = await freePort();
  const client = await registerClient(host, [`http://127.0.0.1:${port}/callback`]);
  const folder = mkdtempSync(join(tmpdir(), 'hf-conformance-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const suite = join(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'),
    '../dist/index.js',
  );
  const resource = `${host.hub.address}/mcp/${luna.id}`;
  const args = [
    'authorization',
    '--url',
    host.hub.address + issuer,
    '--client-id',
    client,
    '--resource',
    resource,
    '-p',
    String(port),
    '-o',
    folder,
  ];
  const child = spawn(process.execPath, [suite, ...args], { cwd: folder });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  let answered = '';
  const listen = (chunk: Buffer) => {
    output += chunk.toString();
    const [page] = /http:\/\/[^\s]+\/oauth\/authorize(?:\/mcp)?\?[^\s]+/.exec(output) ?? [];
    if (page && page !== answered) {
      answered = page;
      void person.consent(page).then((back) => fetch(back));
    }
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  const code = await new Promise((resolve) => child.on('close', resolve));
  process.stdout.write(`${output}\n`);
  expect(answered).not.toBe('');
  expect(code).toBe(0);
  expect(output).not.toMatch(/✗|FAILURE/);
});
