import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Project } from '../../src/features/projects/project.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, runHoldfast, startHub } from '../fixtures/hub-process.ts';
import { git, newRepositoryWithCommit } from '../fixtures/repositories.ts';
import { startStdio } from '../fixtures/stdio-client.ts';

const teamsAt = async (address: string) =>
  ((await (await fetch(`${address}/api/projects`)).json()) as { projects: Project[] }).projects.map(
    ({ teamId }) => teamId,
  );

/** The ways a client starts a server that finds its project, and those that do not. */
const FINDING: readonly [string, string[], string][] = [
  ['clawboo-mcp-tasks', ['--here'], 'list_tasks'],
  ['holdfast', ['mcp', 'tasks'], 'list_tasks'],
  ['holdfast', ['serve'], 'tasks__list_tasks'],
];
const UNBOUND: readonly [string, string[]][] = [
  ['clawboo-mcp-tasks', []],
  ['clawboo-mcp-tasks', ['--bind', 'scopeTeamId=red']],
  ['clawboo-mcp-tasks', ['--team', 'red']],
];

it('processes that start at the same instant in a new repository, and in a clone of it, make one project', async () => {
  const [env, at] = [freshHome(), freshFolder()];
  const app = newRepositoryWithCommit(join(at, 'app'));
  git(at, 'clone', '-q', app, 'clone');
  const folders = [app, join(at, 'clone'), app, join(at, 'clone')];
  const clients = await Promise.all(
    folders.map((folder) => startStdio(env, 'clawboo-mcp-tasks', ['--here'], folder)),
  );
  await Promise.all(clients.map((client) => client.call('list_tasks')));
  await Promise.all(clients.map((client) => client.end()));
  expect(await teamsAt((await startHub(env)).address)).toHaveLength(1);
});

it.each([
  [[], 'tasks__list_tasks'],
  [['--server', 'tasks'], 'list_tasks'],
])('what connect %j writes is a server that finds its project', async (args, tool) => {
  const [env, folder] = [freshHome(), newRepositoryWithCommit(join(freshFolder(), 'app'))];
  const file = join(freshFolder(), 'settings.json');
  expect(runHoldfast(env, ['connect', 'cursor', '--file', file, ...args])).toMatchObject({ code: 0 });
  type Entry = { command: string; args: string[]; env: Record<string, string> };
  const [entry] = Object.values(
    (JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: Record<string, Entry> }).mcpServers,
  );
  const [script, ...rest] = entry!.args;
  expect(entry!.command).toBe(process.execPath);
  const client = await startStdio({ ...freshHome(), ...entry!.env }, basename(script!, '.js'), rest, folder);
  await client.call(tool);
  await client.end();
  expect(await teamsAt((await startHub(env)).address)).toEqual(['app']);
});

describe.each(['alone', 'beside a hub'])('a stdio server %s', (standing) => {
  const begin = async () => {
    const env = freshHome();
    const folder = join(newRepositoryWithCommit(join(freshFolder(), 'app')), 'src');
    mkdirSync(folder);
    const hub = standing === 'alone' ? undefined : await startHub(env);
    const teams = async () => teamsAt((hub ?? (await startHub(env))).address);
    return { env, folder, teams };
  };

  it.each(FINDING)('%s %j finds the project of its working folder', async (bin, args, tool) => {
    const { env, folder, teams } = await begin();
    const client = await startStdio(env, bin, args, folder);
    await client.call(tool);
    const made = await client.call(tool.replace('list_tasks', 'create_task'), { title: 'x' });
    expect(made.structuredContent).toMatchObject({ teamId: 'app' });
    await client.end();
    expect(await teams()).toEqual(['app']);
  });

  it.each(UNBOUND)('%s %j looks for none', async (bin, args) => {
    const { env, folder, teams } = await begin();
    const client = await startStdio(env, bin, args, folder);
    await client.call('list_tasks');
    await client.end();
    expect(await teams()).toEqual([]);
  });

  it('keeps a fixed name as a binding', async () => {
    const { env, folder } = await begin();
    const client = await startStdio(
      env,
      'clawboo-mcp-tasks',
      ['--here', '--agent', 'ada', '--profile', 'extended'],
      folder,
    );
    const { structuredContent } = await client.call('create_task', { title: 'x' });
    const claimed = await client.call('claim_next_task', {});
    expect(claimed.structuredContent).toMatchObject({
      task: { id: structuredContent['id'], assigneeAgentId: 'ada' },
    });
  });
});
