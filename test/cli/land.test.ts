// `holdfast land --wait` and its kin from the outside: exit codes as scripts see them, on a real hub.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { builtBin } from '../fixtures/built.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { freshRepository, type Repository } from '../fixtures/repository.ts';
import { openTerminal } from '../fixtures/terminal.ts';

const LONG = { timeout: 120_000 };

function branchOf({ git, path }: Repository, name: string, files: Readonly<Record<string, string>>): void {
  git('checkout', '-q', '-b', name, 'main');
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  git('add', '-A');
  git('commit', '-q', '-m', name);
  git('checkout', '-q', 'main');
}

function prepared() {
  const repository = freshRepository();
  mkdirSync(join(repository.path, '.holdfast'));
  repository.commit('.holdfast/checks.yaml', 'version: 1\nchecks:\n  unit: { run: "! ls | grep -q ^bad" }\n');
  const env = freshHome();
  mkdirSync(env['HOLDFAST_HOME']!, { recursive: true });
  writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), 'land: { "*": { unconfined: true } }\n');
  return { repository, env };
}

it('land --wait exits 0, 1, 4, 5 or 6, several with that of the first that did not land', LONG, async () => {
  const { repository, env } = prepared();
  await startHub(env);
  const { run, start, json } = openTerminal(undefined, env, repository.path);
  const add = async (title: string) => (await json<{ id: string }>('board', 'add', title)).id;
  const asked = async (name: string, files: Readonly<Record<string, string>>) => {
    branchOf(repository, name, files);
    const id = await add(name);
    await run('board', 'edit', id, '--branch', name);
    return id;
  };
  const rival = await asked('rival', { 'README.md': 'rival\n' });
  expect(await run('land', await asked('good', { 'README.md': 'good\n' }), '--wait')).toMatchObject({
    code: 0,
  });
  expect(await run('land', await asked('bad', { 'bad-file': '' }), '--wait')).toMatchObject({ code: 1 });
  expect(await run('land', rival, '--wait')).toMatchObject({ code: 4 });
  const own = await asked('own', { 'own.txt': '' });
  const several = await run('land', own, await asked('worse', { 'bad-too': '' }), '--wait');
  expect(several).toMatchObject({ code: 1, out: expect.stringMatching(/landed[^]*failed/) });
  const later = await asked('later', { 'e.txt': '' });
  writeFileSync(join(repository.path, 'README.md'), 'mine\n');
  expect(await run('land', later, '--wait', '--json')).toMatchObject({ code: 6 });
  repository.git('checkout', '-q', 'README.md');
  await run('land', 'pause');
  const gone = await asked('gone', { 'f.txt': '' });
  const going = start('land', gone, '--wait');
  const { landings } = await expect
    .poll(async () => json<{ landings: { id: string; task: string }[] }>('land', 'list', '--open'), {
      timeout: 20_000,
    })
    .toSatisfy(({ landings: open }: any) => open.some(({ task }: any) => task === gone))
    .then(() => json<{ landings: { id: string; task: string }[] }>('land', 'list', '--open'));
  await run('land', 'withdraw', landings.find(({ task }) => task === gone)!.id);
  expect(await going.ended()).toMatchObject({ code: 5 });
  expect(await run('evidence', 'verify')).toMatchObject({ code: 0 });
  expect(await run('land', gone, '--branch', '--force')).toMatchObject({ code: 3 });
});

it('evidence verify exits 4 when the database was edited', LONG, async () => {
  const { repository, env } = prepared();
  const { run, json } = openTerminal(undefined, env, repository.path);
  await run('board', 'add', 'x');
  expect(await run('checks', 'run', 'unit', '--commit', 'main')).toMatchObject({ code: 0 });
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(join(env['HOLDFAST_HOME']!, 'holdfast.db'));
  db.exec("update check_evidence set passed = 1, tail = 'all is well'");
  db.close();
  expect(await run('evidence', 'verify')).toMatchObject({ code: 4 });
  expect(await json('evidence', 'verify')).toMatchObject({ ok: false, checked: 1 });
});

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

it.runIf(canMount)('a disk that fills while a check is prepared holds the landing and says so', LONG, () => {
  const { repository, env } = prepared();
  branchOf(repository, 'big', { 'big.bin': 'x'.repeat(8 * 1024 * 1024) });
  const checks = join(env['HOLDFAST_HOME']!, 'checks');
  mkdirSync(checks, { recursive: true });
  const hf = `${process.execPath} ${builtBin('holdfast')}`;
  const script = `
    mount -t tmpfs -o size=2m tmpfs ${checks}
    cd ${repository.path}
    ${hf} up --detach --port 0 >/dev/null
    task=$(${hf} board add big | cut -c1-8)
    ${hf} land $task --branch big --wait --json
    echo "exit $?"
    git -C ${repository.path} rev-parse main
    ${hf} stop >/dev/null`;
  const said = spawnSync('unshare', ['-rm', 'sh', '-c', script], {
    env: { ...env, TMPDIR: freshFolder() },
    encoding: 'utf8',
    timeout: 100_000,
  });
  expect(said.stdout).toMatch(/"state":"held"[^]*(?:disk is full|unable to write file)[^]*exit 6/);
  expect(said.stdout).toContain(repository.git('rev-parse', 'main').trim());
});
