// Mail that wakes the real Claude Code, as far as that goes without a login: it sees our channel, in the one era in which it takes any.
// Whether it lets channels in at all is decided by the account it is logged in with.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from './expect.mjs';
import { addSettings, TURNS } from './turns.mjs';

export const wakeChecks = [
  { name: 'claude-code: sees the channel by which mail wakes it', run: (stage) => seesChannel(stage) },
];

const SECONDS = 60;

async function seesChannel(stage) {
  mkdirSync(join(stage.home, '.holdfast'), { recursive: true });
  writeFileSync(join(stage.home, '.holdfast', 'config.yaml'), 'peers: { wake: true }\n');
  await stage.anotherHub('SIGTERM');
  const connected = await stage.holdfast('connect', 'claude-code', '--server', 'hub', '--transport', 'stdio');
  expect(connected.code === 0, 'holdfast connect claude-code', connected);
  // As after its first start: what it asks then is answered.
  addSettings(join(stage.home, '.claude.json'), {
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: ['dummy'], rejected: [] },
    projects: { [stage.folder]: { hasTrustDialogAccepted: true } },
  });
  const mock = await TURNS['claude-code'].startModel({ tool: 'whoami', args: {}, lastWord: 'I see.' });
  const log = join(stage.home, 'debug.log');
  // Only a session at a terminal takes channels.
  const command = `claude --dangerously-load-development-channels server:holdfast --debug-file ${log}`;
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: stage.folder,
    env: { ...stage.env, ANTHROPIC_BASE_URL: mock.url, ANTHROPIC_API_KEY: 'dummy', TERM: 'xterm' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const said = () => (existsSync(log) ? readFileSync(log, 'utf8') : '');
  const verdict = () => /Channel notifications (?:registered|skipped: [^\n]*)/.exec(said())?.[0];
  try {
    for (let i = 0; i < SECONDS * 5 && verdict() === undefined; i += 1) await setTimeout(200);
    const about = { code: 0, said: `${verdict()}\n${said().slice(-2_000)}` };
    expect(said().includes('"protocolEra":"legacy"'), 'it speaks the era that has channels', about);
    const isSeen =
      verdict() === 'Channel notifications registered' ||
      verdict() === 'Channel notifications skipped: channels feature is not currently available';
    expect(isSeen, 'it knows our channel, and only its account keeps it out', about);
  } finally {
    terminal.kill('SIGTERM');
    await mock.close();
  }
}
