// `/api/tools`: the tools and their switches, and what did not fit into answers.
import { z } from 'zod';
import { work } from '../../../operation/operation.ts';
import type { Broker } from '../broker.ts';
import { toolCallerOf } from '../caller.ts';
import { OK, ok, toolView } from '../schemas.ts';
import { toToolView } from '../views.ts';

/** The documented list shows the builtins; `all=true` adds every other tool behind the broker. */
const listTools = work({
  name: 'list_tools',
  summary: 'List tools with their availability.',
  scope: 'tools:read',
  effect: 'read',
  input: { all: z.boolean().optional() },
  output: z.object({ ok, tools: z.array(toolView) }),
  route: 'GET /api/tools',
  run: async (broker: Broker, { all: isAll = false }) => ({
    ...OK,
    tools: broker
      .tools()
      .filter(({ source = 'builtin' }) => isAll || source === 'builtin')
      .map((tool) => toToolView(tool, broker.statusOf(tool))),
  }),
});

const switchTool = work({
  name: 'switch_tool',
  summary: 'Switch a tool on or off for everybody.',
  scope: 'tools:admin',
  effect: 'state',
  input: { name: z.string().min(1).max(128), enabled: z.boolean() },
  output: z.object({ ok, name: z.string(), enabled: z.boolean() }),
  refusals: ['not_found'],
  route: 'POST /api/tools/switches/:name',
  async run(broker: Broker, { name, enabled }, { who }) {
    await broker.switch(who, name, enabled);
    return { ...OK, name, enabled };
  },
});

const readResult = work({
  name: 'read_result',
  summary: 'The rest of an answer that was cut.',
  scope: 'tools:read',
  effect: 'read',
  input: { cursor: z.string().min(1).max(100) },
  output: z.object({ ok, text: z.string(), nextCursor: z.string().nullable(), remaining: z.int() }),
  refusals: ['not_found'],
  route: 'GET /api/tools/results/:cursor',
  run: async (broker: Broker, { cursor }, { who }) => ({
    ...OK,
    ...broker.leftovers.take(toolCallerOf(who).principal, cursor),
  }),
});

export const toolOperations = [listTools, switchTool, readResult] as const;
