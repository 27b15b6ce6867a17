import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Project } from '../../src/features/projects/project.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { newRepositoryWithCommit } from '../fixtures/repositories.ts';
import { startStdio } from '../fixtures/stdio-client.ts';

const teamsAt = async (address: string) =>
  ((await (await fetch(`${address}/api/projects`)).json()) as { projects: Project[] }).projects.map(({ teamId }) => teamId);

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
    const client = await startStdio(env, 'clawboo-mcp-tasks', ['--here', '--agent', 'ada', '--profile', 'extended'], folder);
    const { structuredContent } = await client.call('create_task', { title: 'x' });
    const claimed = await client.call('claim_next_task', {});
    expect(claimed.structuredContent).toMatchObject({ task: { id: structuredContent['id'], assigneeAgentId: 'ada' } });
  });
});
