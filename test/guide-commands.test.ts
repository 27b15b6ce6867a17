import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { builtBin } from './fixtures/built.ts';
import { freshFolder } from './fixtures/databases.ts';
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
];

/**
 * Programs of the system that would change this machine: they write down how they were called, and nothing
 * more.
 */
const OUTSIDE = ['systemctl', 'loginctl', 'npm', 'docker'];

async function machine() {
  const [home, bin] = [freshFolder(), freshFolder()];
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
  };
  const url = inject('postgresUrl');
  const here = (text: string) =>
    text.replaceAll('18790', port).replaceAll('postgres://holdfast:secret@db.example.net/holdfast', url);
  const sh = (text: string) =>
    spawnSync('sh', ['-euc', here(text)], { cwd: join(home, 'web'), env, encoding: 'utf8', timeout: 60_000 });
  onTestFinished(async () => {
    sh('holdfast stop');
    await dropSchema(url, schema);
  });
  return { sh, home };
}

function blocksOf(guide: string): string[] {
  const text = readFileSync(new URL(`../docs/guides/${guide}.md`, import.meta.url), 'utf8');
  return [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!);
}

/** What has to be there before a guide begins, in the words of another. */
const BEFORE: Readonly<Record<string, string>> = {
  uninstall: 'holdfast setup --all --yes; holdfast board add x',
  service: 'holdfast up --detach',
  upgrade: 'holdfast setup --yes; holdfast board add x',
  backup: 'holdfast up --detach; holdfast board add x',
  landing: [
    'git config --global user.name ada; git config --global user.email ada@example.test',
    'mkdir -p "$HOME/.holdfast"; echo \'land: { "*": { unconfined: true } }\' > "$HOME/.holdfast/config.yaml"',
  ].join('\n'),
};

it.each(GUIDES)('every command of %s works as it stands', { timeout: 180_000 }, async (guide) => {
  const { sh } = await machine();
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
