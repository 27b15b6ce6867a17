import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { builtBin } from './fixtures/built.ts';
import { freshFolder } from './fixtures/databases.ts';
import { type GitServer, startGitServer } from './fixtures/git-server.ts';
import { freePort } from './fixtures/free-port.ts';
import { newRepositoryWithCommit } from './fixtures/repositories.ts';
import { dropSchema, newSchemaName } from './fixtures/schemas.ts';

/** Guides whose every command is run as it stands, block after block, by a shell in a home of its own. */
const GUIDES = [
  'setup',
  'uninstall',
  'service',
  'upgrade',
  'backup',
  'repositories',
  'team',
  'proxy',
  'landing',
  'schedules',
  'pool',
];

/**
 * Programs of the system that would change this machine: they write down how they were called, and nothing
 * more.
 */
const OUTSIDE = ['systemctl', 'loginctl', 'npm', 'docker'];

/** Somebody else's git, and gh, which answers for it. */
async function outside(home: string, bin: string): Promise<GitServer> {
  const server = await startGitServer();
  const { user, password } = server;
  const helper = `!f() { echo username=${user}; echo password=${password}; }; f`;
  spawnSync('git', ['config', '-f', join(home, '.gitconfig'), 'credential.helper', helper]);
  copyFileSync(new URL('fixtures/fake-gh.mjs', import.meta.url), join(bin, 'gh.mjs'));
  writeFileSync(join(bin, 'gh'), `#!/bin/sh\nexec ${process.execPath} ${bin}/gh.mjs "$@"\n`, { mode: 0o755 });
  return server;
}

async function machine(guide = '') {
  const [home, bin] = [freshFolder(), freshFolder()];
  const server = guide === 'landing' ? await outside(home, bin) : undefined;
  const script = (name: string, line: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  script('holdfast', `exec ${process.execPath} ${builtBin('holdfast')} "$@"`);
  for (const name of OUTSIDE) script(name, `echo ${name} "$@" >> ${join(bin, 'calls')}`);
  for (const name of ['web', 'api']) newRepositoryWithCommit(join(home, name));
  mkdirSync(join(home, '.claude'));
  const port = String(await freePort());
  const schema = newSchemaName();
  const env = {
    PATH: `${bin}:/usr/bin:/bin`,
    HOME: home,
    SHELL: '/bin/bash',
    HOLDFAST_PORT: port,
    HOLDFAST_LOG: 'warn',
    HOLDFAST_DATABASE_SCHEMA: schema,
    ...(server && { GIT_SSL_CAINFO: server.caFile }),
  };
  const url = inject('postgresUrl');
  const here = (text: string) =>
    text
      .replaceAll('18790', port)
      .replaceAll('postgres://holdfast:secret@db.example.net/holdfast', url)
      .replaceAll('https://git.example.net/ada/web.git', server?.url ?? '');
  const sh = (text: string) =>
    spawnSync('sh', ['-euc', here(text)], {
      cwd: join(home, 'web'),
      env,
      encoding: 'utf8',
      timeout: 120_000,
    });
  onTestFinished(async () => {
    sh('holdfast stop');
    await dropSchema(url, schema);
  });
  return { sh, home };
}

function blocksOf(guide: string): string[] {
  const text = readFileSync(new URL(`../docs/guides/${guide}.md`, import.meta.url), 'utf8');
  return [...text.matchAll(/```(sh|yaml)\n(.*?)```/gs)].flatMap(([, kind, block]) =>
    kind === 'sh' ? [block!] : settingsOf(block!),
  );
}

/** A block that says which file it is has to be there before the next one; checks have nothing here that keeps them in. */
function settingsOf(block: string): string[] {
  const [, other] = /^# ~\/(\w+)\/config\.yaml/.exec(block) ?? [];
  if (other !== undefined)
    return [`mkdir -p "$HOME/${other}"; cat > "$HOME/${other}/config.yaml" <<'END'\n${block}END\n`];
  if (!block.startsWith('# ~/.holdfast/config.yaml')) return [];
  const text = block.replace(/\{ push: origin/, '{ unconfined: true, push: origin');
  return [`cat > "$HOME/.holdfast/config.yaml" <<'END'\n${text}END\nholdfast restart\n`];
}

/** What has to be there before a guide begins, in the words of another. */
const BEFORE: Readonly<Record<string, string>> = {
  uninstall: 'holdfast setup --all --yes; holdfast board add x',
  service: 'holdfast up --detach',
  upgrade: 'holdfast setup --yes; holdfast board add x',
  backup: 'holdfast up --detach; holdfast board add x',
  schedules:
    'mkdir -p "$HOME/.holdfast"; echo \'agents: { helper: { family: command, command: [cat] } }\' > "$HOME/.holdfast/config.yaml"',
  landing: [
    'git config --global user.name ada; git config --global user.email ada@example.test',
    'mkdir -p "$HOME/.holdfast"; cat > "$HOME/.holdfast/config.yaml" <<END',
    'land: { "*": { unconfined: true } }',
    'agents:',
    '  short: { family: command, command: [sh, -c, "cat > /dev/null; echo bye > goodbye.txt"] }',
    '  long: { family: command, command: [sh, -c, "cat > /dev/null; echo farewell > goodbye.txt; touch broken"] }',
    'END',
  ].join('\n'),
};

it.each(GUIDES)('every command of %s works as it stands', { timeout: 180_000 }, async (guide) => {
  const { sh } = await machine(guide);
  const before = sh(BEFORE[guide] ?? ':');
  expect(before.status, before.stderr).toBe(0);
  const blocks = blocksOf(guide);
  // One shell for all of them: a folder or a variable of one block is that of the next.
  const { status, stdout, stderr } = sh(blocks.join('\n'));
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  expect(blocks.length).toBeGreaterThan(0);
});

it('what the guides promise is so', { timeout: 120_000 }, async () => {
  const { sh, home } = await machine();
  const listed = sh(blocksOf('repositories')[0]!);
  expect(listed.stdout).toContain('Return 401 and not 500');
  expect(listed.stdout.split('\n').filter((line) => line.includes('Fix the login redirect  '))).toEqual([]);
  expect(sh('holdfast board list --all').stdout).toContain('Fix the login redirect');
  const [, ask] = blocksOf('proxy');
  sh(blocksOf('proxy')[0]!);
  expect(JSON.parse(sh(ask!).stdout)).toHaveProperty('tasks');
  expect(sh(ask!.replace(/--header "Authorization.*?\)"/, '')).status, 'without the token').not.toBe(0);
  expect(sh(ask!.replace('Host: hub', 'Host: evil')).status, 'another name').not.toBe(0);
  expect(readFileSync(join(home, '.holdfast', 'token'), 'utf8').trim()).toHaveLength(64);
});
