import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { builtBin } from '../fixtures/built.ts';
import { fakeSystemctl } from '../fixtures/systemctl.ts';
import { freshHome, runHoldfast, startHub } from '../fixtures/hub-process.ts';

function stopAtTheEnd(env: NodeJS.ProcessEnv): void {
  onTestFinished(() => void runHoldfast(env, ['stop']));
}

it('stops a hub, and says so when there is none', async () => {
  const env = freshHome();
  const hub = await startHub(env);
  expect(runHoldfast(env, ['stop'])).toMatchObject({
    code: 0,
    out: `Stopped the hub at ${hub.address} (process ${hub.pid}).\n`,
  });
  expect(await hub.stop()).toBe(0);
  expect(runHoldfast(env, ['stop'])).toMatchObject({
    code: 3,
    err: expect.stringContaining('There is nothing to stop.'),
  });
});

it('runs in the background, at the same address after a restart, and keeps its log', () => {
  const env = freshHome();
  stopAtTheEnd(env);
  const first = JSON.parse(runHoldfast(env, ['up', '--detach', '--port', '0', '--json']).out) as {
    pid: number;
    address: string;
  };
  expect(runHoldfast(env, ['up', '--detach'])).toMatchObject({
    code: 4,
    err: expect.stringContaining(first.address),
  });
  const second = JSON.parse(runHoldfast(env, ['restart', '--json']).out) as {
    pid: number;
    address: string;
    was: number;
  };
  expect(second).toMatchObject({ address: first.address, was: first.pid });
  expect(second.pid).not.toBe(first.pid);
  const { out } = runHoldfast(env, ['logs', '-n', '3']);
  expect(out).toMatch(
    new RegExp(
      `is up at ${first.address}, process ${first.pid}\\.\\n.*Stopped\\.\\n.*process ${second.pid}\\.\\n$`,
    ),
  );
});

it('is restarted through the service that runs it, and not beside it', () => {
  const env = freshHome();
  stopAtTheEnd(env);
  const up = () =>
    JSON.parse(runHoldfast(env, ['up', '--detach', '--port', '0', '--json']).out) as { pid: number };
  const first = up();
  // It says that it runs this process, and does what systemd would when it is told to restart it.
  const command = `${process.execPath} ${builtBin('holdfast')}`;
  const { bin, calls } = fakeSystemctl(
    `case "$*" in
      *MainPID*) echo ${first.pid} ;;
      *restart*) ${command} stop > /dev/null && ${command} up --detach --port 0 > /dev/null ;;
    esac`,
  );
  const under = { ...env, PATH: `${bin}:${env['PATH']}` };
  const second = JSON.parse(runHoldfast(under, ['restart', '--json']).out) as { pid: number; was: number };
  expect(second.was).toBe(first.pid);
  expect(second.pid).not.toBe(first.pid);
  expect(calls()).toContain('--user restart holdfast.service');
});

it('says in the terminal what keeps a hub from starting in the background', () => {
  const env = freshHome({ CLAWBOO_DB_PATH: '/dev/null/board.db' });
  expect(runHoldfast(env, ['up', '--detach', '--port', '0'])).toMatchObject({
    code: 6,
    err: expect.stringContaining('/dev/null/board.db cannot be opened'),
  });
});

it('follows the log until it is interrupted', async () => {
  const env = freshHome();
  stopAtTheEnd(env);
  expect(runHoldfast(env, ['logs'])).toMatchObject({
    code: 3,
    err: expect.stringContaining('There is no log at'),
  });
  const following = spawn(process.execPath, [builtBin('holdfast'), 'logs', '-f'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void following.kill('SIGKILL'));
  let said = '';
  following.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  runHoldfast(env, ['up', '--detach', '--port', '0']);
  await expect.poll(() => said, { timeout: 10_000 }).toContain('is up at http://127.0.0.1:');
  following.kill('SIGINT');
  expect(await once(following, 'exit')).toEqual([0, null]);
});

it('says how this installation is brought up to date, and changes nothing', () => {
  const env = freshHome();
  const { code, out } = runHoldfast(env, ['upgrade']);
  expect(code).toBe(0);
  expect(out).toMatch(/^Holdfast \S+, from a checkout\. To bring it up to date:\n/);
  expect(out).toContain(
    '\n  holdfast backup before-upgrade.db\n  git pull\n  npm start\n  holdfast doctor --fix\n',
  );
  expect(JSON.parse(runHoldfast(env, ['upgrade', '--json']).out)).toMatchObject({ kind: 'checkout' });
});
