// The printed hook packs in the real clients: sessions register, and mail reaches the model at the prompt and between tool calls.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { node24, root } from '../toolchain.mjs';
import { expect, PATIENCE } from './expect.mjs';
import { addSettings, TURNS } from './turns.mjs';

/** Where each pack goes, and what else a client wants before it runs hooks nobody has looked at. */
const PLACES = {
  'claude-code': {
    put: (home, text) => addSettings(join(home, '.claude', 'settings.json'), JSON.parse(text)),
  },
  codex: {
    put: (home, text) => addSettings(join(home, '.codex', 'hooks.json'), JSON.parse(text)),
    flags: ['--dangerously-bypass-hook-trust'],
  },
  gemini: { put: (home, text) => addSettings(join(home, '.gemini', 'settings.json'), JSON.parse(text)) },
  opencode: {
    put: (home, text) => writePlugin(join(home, '.config', 'opencode', 'plugins', 'holdfast.js'), text),
  },
};

/** Puts the printed pack where the client looks; answers what the client has to be told for it. */
export async function putHooks(stage, client) {
  const { put, flags } = PLACES[client];
  put(stage.home, JSON.parse((await stage.holdfast('hooks', 'print', client, '--json')).said).text);
  return flags;
}

export const hookChecks = Object.keys(PLACES).map((client) => ({
  name: `${client}: its hooks register the session and bring its mail`,
  async run(stage) {
    const agent = `project-${client}`;
    await stage.holdfast('peer', 'register', '--backend', 'test', '--name', agent);
    await stage.holdfast('peer', 'send', agent, 'sent before the turn');
    const connected = await stage.holdfast('connect', client, '--server', 'hub', '--transport', 'stdio');
    expect(connected.code === 0, `holdfast connect ${client}`, connected);
    const flags = await putHooks(stage, client);
    const { startModel, prepare, take } = TURNS[client];
    prepare?.(stage);
    // The tool that the model calls is the one that sends the second message: it can come only with the tool's result.
    const mock = await startModel({
      tool: 'PeerSend',
      args: { to: agent, text: 'sent between the tools' },
      lastWord: 'Sent.',
    });
    try {
      const extra = { PATH: [onPath(stage.home), stage.path].join(delimiter) };
      const reached = (text) =>
        mock.seen.some(({ body }) => JSON.stringify(body ?? '').includes(`| ${text}`));
      let result;
      for (let tries = 0; tries < PATIENCE && !reached('sent between the tools'); tries += 1)
        result = await take(stage, { mock, prompt: 'Send the mail.', tool: 'PeerSend', extra, flags });
      for (const text of ['sent before the turn', 'sent between the tools'])
        expect(reached(text), `the model saw “${text}”`, result);
    } finally {
      await mock.close();
    }
  },
}));

/** The hooks call `holdfast`. */
export function onPath(home) {
  const folder = join(home, 'bin');
  mkdirSync(folder, { recursive: true });
  const command = join(folder, 'holdfast');
  writeFileSync(command, `#!/bin/sh\nexec '${node24}' '${join(root, 'dist', 'bin', 'holdfast.js')}' "$@"\n`);
  chmodSync(command, 0o755);
  return folder;
}

function writePlugin(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
