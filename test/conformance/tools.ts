import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { ChangeBoard } from '../../src/mcp/changes.ts';
import type { ContentBlock } from '../../src/mcp/content.ts';
import { defineTool } from '../../src/mcp/define.ts';
import type { Tool, ToolContext, ToolResult } from '../../src/mcp/define.ts';
import { PNG, WAV } from './pixels.ts';

/** A tool of the conformance fixture: its name, what it takes, and what it answers as text or blocks. */
export function fixtureTool(
  name: string,
  run: (
    args: Record<string, unknown>,
    context: ToolContext,
  ) => Promise<string | readonly ContentBlock[] | ToolResult<never>>,
  input: z.ZodObject = z.object({}),
  inputSchema?: Record<string, unknown>,
): Tool {
  return defineTool({
    name,
    title: name,
    description: `Conformance fixture ${name}`,
    input,
    ...(inputSchema && { inputSchema }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    scope: 'test',
    effect: 'read',
    handler: async (args, context): Promise<ToolResult<never>> => {
      const answer = await run(args, context);
      if (typeof answer === 'string') return { ok: true, value: undefined as never, text: answer };
      return 'ok' in answer ? answer : { ok: true, value: undefined as never, content: answer };
    },
  });
}

const image: ContentBlock = { type: 'image', data: PNG, mimeType: 'image/png' };

const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

export function plainTools(board: ChangeBoard, key: string): readonly Tool[] {
  return [
    fixtureTool('test_simple_text', async () => 'This is a simple text response for testing.'),
    fixtureTool('test_image_content', async () => [image]),
    fixtureTool('test_audio_content', async () => [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }]),
    fixtureTool('test_embedded_resource', async () => [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ]),
    fixtureTool('test_multiple_content_types', async () => [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ]),
    fixtureTool('test_error_handling', async () => ({
      ok: false,
      line: 'This tool intentionally returns an error for testing',
      code: 'invalid',
    })),
    fixtureTool('test_tool_with_logging', async (_, { say }) => {
      say('info', 'Tool execution started');
      await sleep(50);
      say('info', 'Tool processing data');
      await sleep(50);
      say('info', 'Tool execution completed');
      return 'done';
    }),
    fixtureTool('test_logging_tool', async (_, { say }) => {
      say('info', 'only for those who asked');
      return 'done';
    }),
    fixtureTool('test_tool_with_progress', async (_, { progress }) => {
      for (const done of [0, 50, 100]) {
        progress(done, 100);
        await sleep(50);
      }
      return 'done';
    }),
    fixtureTool('test_reconnection', async () => {
      await sleep(200);
      return 'delivered after a reconnection';
    }),
    fixtureTool('json_schema_2020_12_tool', async () => 'ok', z.looseObject({}), SCHEMA_2020_12),
    fixtureTool(
      'test_x_mcp_header',
      async ({ region }) => `region ${String(region)}`,
      z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
    ),
    fixtureTool('test_trigger_tool_change', async () => {
      board.publish({ server: key, list: 'tools' });
      return 'changed';
    }),
    fixtureTool('test_trigger_prompt_change', async () => {
      board.publish({ server: key, list: 'prompts' });
      return 'changed';
    }),
  ];
}
