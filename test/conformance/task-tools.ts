import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Tool, ToolResult } from '../../src/mcp/define.ts';
import { RPC, RpcError } from '../../src/mcp/protocol/jsonrpc.ts';
import { form } from './asking-tools.ts';
import { fixtureTool } from './tools.ts';

const CONFIRM = { confirm: { type: 'boolean' } };
const said = (text: string): ToolResult<never> => ({ ok: true, value: undefined as never, text });

/** Tools whose work goes on as a task. */
export const taskTools: readonly Tool[] = [
  fixtureTool('greet', async ({ name }) => `Hello, ${String(name)}!`, z.looseObject({ name: z.string() })),
  fixtureTool(
    'slow_compute',
    async ({ seconds }, { later }) =>
      later(async ({ signal }) => {
        await sleep(Number(seconds ?? 1) * 1_000, undefined, { signal });
        return said(`computed for ${String(seconds)} seconds`);
      }),
    z.looseObject({ seconds: z.number().optional() }),
  ),
  {
    ...fixtureTool(
      'failing_job',
      async (_, { later }) =>
        later(async () => {
          await sleep(1_000);
          return { ok: false, line: 'the job failed', code: 'invalid' };
        }),
      z.looseObject({}),
    ),
    needsTask: true,
  },
  fixtureTool(
    'protocol_error_job',
    async (_, { later }) =>
      later(async () => {
        await sleep(300);
        throw new RpcError(RPC.internal, 'the machinery broke');
      }),
    z.looseObject({}),
  ),
  fixtureTool(
    'confirm_delete',
    async (_, { later }) =>
      later(async ({ ask }) =>
        said(`answered ${String((await ask({ sure: form('Delete it?', CONFIRM) }))['sure']?.['action'])}`),
      ),
    z.looseObject({}),
  ),
  fixtureTool(
    'multi_input',
    async (_, { later }) =>
      later(async ({ ask }) =>
        said(
          Object.keys(await ask({ first: form('First?', CONFIRM), second: form('Second?', CONFIRM) })).join(
            ', ',
          ),
        ),
      ),
    z.looseObject({}),
  ),
  {
    ...fixtureTool(
      'test_tool_with_task',
      async (_, { ask, later }) => {
        const answers = await ask({ user_name: form('What is your name?', { name: { type: 'string' } }) });
        return later(async () => {
          await sleep(300);
          return said(`Hello, ${JSON.stringify(answers['user_name']?.['content'])}`);
        });
      },
      z.looseObject({}),
    ),
    needsTask: true,
  },
];
