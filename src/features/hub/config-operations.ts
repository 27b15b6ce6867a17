import { z } from 'zod';
import { work } from '../../operation/operation.ts';
import type { ConfigDesk } from './config-desk.ts';

const plain = z.union([z.string().max(4_000), z.number(), z.boolean()]);
const value = z
  .union([plain, z.array(z.string().max(4_000)).max(100), z.null()])
  .describe('null takes away what stands there.');
const changes = z
  .array(
    z.object({
      path: z
        .array(z.string().min(1).max(200))
        .min(1)
        .max(5)
        .describe('Such as ["lease"] or ["agents","x"].'),
      value,
    }),
  )
  .min(1)
  .max(50);

const shared = { scope: 'access:admin', refusals: ['unauthorized'] } as const;

const listAgents = work({
  ...shared,
  name: 'configured_agents',
  summary: 'The agents that config.yaml names; of their variables only the names.',
  effect: 'read',
  input: {},
  output: z.object({
    agents: z.array(
      z.object({
        name: z.string(),
        family: z.string(),
        command: z.array(z.string()).nullable(),
        model: z.string().nullable(),
        mode: z.string(),
        cwd: z.string().nullable(),
        enabled: z.boolean(),
        env: z.array(z.string()),
      }),
    ),
  }),
  route: 'GET /api/config/agents',
  run: async (desk: ConfigDesk, _, { who }) => ({ agents: desk.agents(who) }),
});

const preview = work({
  ...shared,
  name: 'preview_config',
  summary: 'What config.yaml would be after these changes, with secrets hidden; nothing is written.',
  effect: 'read',
  input: { changes },
  output: z.object({ path: z.string(), version: z.string(), before: z.string(), after: z.string() }),
  route: 'POST /api/config/preview',
  run: (desk: ConfigDesk, given, { who }) => desk.preview(who, given.changes.map(meant)),
});

const apply = work({
  ...shared,
  name: 'apply_config',
  summary: 'Change config.yaml, if it is still the version that was shown and a hub could start with it.',
  effect: 'state',
  input: { changes, version: z.string().min(1).max(100) },
  output: z.object({ path: z.string(), version: z.string() }),
  refusals: ['unauthorized', 'conflict'],
  route: 'PUT /api/config',
  run: (desk: ConfigDesk, { changes: given, version }, { who }) => desk.apply(who, given.map(meant), version),
});

type Given = z.infer<typeof changes>[number];
const meant = ({ path, value: said }: Given) => ({ path, value: said === null ? undefined : said });

export const configOperations = [listAgents, preview, apply] as const;
