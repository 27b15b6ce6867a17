import { describe, expect, it } from 'vitest';
import { freshBoard } from '../../../test/fixtures/board-host.ts';
import { freshDatabase } from '../../../test/fixtures/databases.ts';
import type { Tool } from '../../mcp/define.ts';
import { inputSchemaOf, listedSchemaOf } from '../../mcp/schema.ts';
import { tasksServer } from './server.ts';
import { createActing } from '../../store/calls.ts';

/** The surface that clients were written against: documented arguments, required ones marked. */
const DOCUMENTED: Readonly<Record<string, readonly string[]>> = {
  list_tasks: ['teamId', 'status', 'ready'],
  get_task: ['taskId!'],
  create_task: ['title!', 'description', 'status', 'priority', 'teamId', 'parentTaskId', 'assigneeRuntime'],
  create_subtask: ['parentTaskId!', 'title!', 'description'],
  claim_task: ['taskId!', 'assigneeAgentId!', 'assigneeRuntime'],
  assign_task: ['taskId!', 'assigneeAgentId!', 'assigneeRuntime'],
  release_task: ['taskId!'],
  update_task_status: ['taskId!', 'status!'],
  block_task: ['taskId!'],
  unblock_task: ['taskId!'],
  add_comment: ['taskId!', 'body!', 'authorAgentId', 'authorType'],
  link_task: ['taskId!', 'dependsOnTaskId!'],
};

async function openServer() {
  const db = await freshDatabase('sqlite');
  const server = tasksServer(createActing(db), freshBoard(db));
  return { ...server, tools: server.tools as readonly Tool[] };
}

describe('the server clawboo-tasks', () => {
  it('introduces itself as documented', async () => {
    const { key, name, version, instructions } = await openServer();
    expect({ key, name, version }).toEqual({ key: 'tasks', name: 'clawboo-tasks', version: '0.1.0' });
    expect(instructions!.length).toBeLessThanOrEqual(2_048);
  });

  it('takes every documented argument and requires exactly the documented ones', async () => {
    const { tools } = await openServer();
    for (const [name, documented] of Object.entries(DOCUMENTED)) {
      const schema = listedSchemaOf(tools.find((tool) => tool.name === name)!) as {
        properties: object;
        required?: string[];
      };
      expect(Object.keys(schema.properties)).toEqual(
        expect.arrayContaining(documented.map((argument) => argument.replace('!', ''))),
      );
      const required = documented
        .filter((argument) => argument.endsWith('!'))
        .map((argument) => argument.slice(0, -1));
      expect([name, (schema.required ?? []).toSorted()]).toEqual([name, required.toSorted()]);
    }
  });

  it('takes identity and idempotency on every tool that changes something', async () => {
    const { tools } = await openServer();
    for (const tool of tools.filter(({ effect }) => effect === 'state')) {
      const { properties } = inputSchemaOf(tool) as { properties: object };
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(['agentId', 'fence', 'idempotencyKey']));
    }
  });

  it('marks every tool as what it is', async () => {
    const { tools } = await openServer();
    for (const { effect, scope, annotations } of tools) {
      expect(annotations).toMatchObject({
        readOnlyHint: effect === 'read',
        openWorldHint: false,
        destructiveHint: false,
      });
      expect(scope).toBe(effect === 'read' ? 'board:read' : 'board:write');
    }
  });

  it.each([
    ['', undefined],
    ['scopeTeamId=t', { team: 't', agent: undefined }],
    ['scopeTeamId=t&scopeAgentId=a', { team: 't', agent: 'a' }],
  ])('reads the binding of %j', async (query, binding) => {
    const { binding: read } = await openServer();
    expect(read!(new URLSearchParams(query))).toEqual(binding);
  });
});
