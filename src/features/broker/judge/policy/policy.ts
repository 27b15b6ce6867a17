import { z } from 'zod';

/** `policy.yaml` as it is written, and as the broker reads it. The JSON schema for editors is made from this. */
const names = z
  .union([z.string().min(1).max(200), z.array(z.string().min(1).max(200)).min(1).max(100)])
  .transform((value) => [value].flat());
const pattern = z.string().min(1).max(200);
const limits = z
  .strictObject({
    perMinute: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe('Calls per minute of one caller to one tool.'),
    perDay: z.int().min(1).max(100_000_000).optional().describe('Calls per day of one caller to one tool.'),
  })
  .describe('How often one caller may call one tool.');

const argument = z.union([
  z.string().max(1_000).describe('A pattern for the argument as text: * is anything, ? one character.'),
  z.number(),
  z.boolean(),
  z.strictObject({
    oneOf: z
      .array(z.union([z.string(), z.number(), z.boolean()]))
      .min(1)
      .max(100),
  }),
  z.strictObject({ min: z.number().optional(), max: z.number().optional() }),
  z.strictObject({ absent: z.literal(true) }),
]);
export type ArgumentMatch = z.output<typeof argument>;

const rule = z.strictObject({
  name: z.string().max(200).optional().describe('How explain and the audit call this rule.'),
  tool: names.optional().describe('Patterns for tool names, such as delete_* or Bash.'),
  agent: names.optional(),
  team: names.optional(),
  source: names.optional().describe('builtin, core, or the name of an upstream server.'),
  risk: z
    .union([
      z.enum(['safe', 'destructive', 'external']),
      z.array(z.enum(['safe', 'destructive', 'external'])).min(1),
    ])
    .transform((value) => [value].flat())
    .optional(),
  args: z.record(z.string(), argument).optional().describe('Every named argument must match.'),
  decide: z.enum(['allow', 'deny', 'ask']),
  because: z.string().max(500).optional().describe('Shown to the caller and to whoever approves.'),
  limits: limits.optional(),
});
export type PolicyRule = z.output<typeof rule>;

export const policySchema = z.strictObject({
  version: z.literal(1),
  rules: z
    .array(rule)
    .max(1_000)
    .default([])
    .describe('The first rule that matches decides. Without one, safe tools are allowed and others ask.'),
  limits: z
    .array(
      z.strictObject({
        tool: names.optional(),
        agent: names.optional(),
        team: names.optional(),
        ...limits.shape,
      }),
    )
    .max(200)
    .default([]),
  blocklist: z
    .array(
      z.strictObject({
        tools: z.array(pattern).min(1).max(200),
        agent: pattern.optional(),
        team: pattern.optional(),
      }),
    )
    .max(200)
    .default([])
    .describe('Tools taken away from a caller altogether.'),
  inspectors: z.strictObject({ ignore: z.array(z.string()).max(100).default([]) }).default({ ignore: [] }),
});

export type Policy = Readonly<{
  rules: readonly PolicyRule[];
  limits: z.output<typeof policySchema>['limits'];
  blocklist: z.output<typeof policySchema>['blocklist'];
  /** Labels of the security inspector that the operator has switched off. */
  ignored: ReadonlySet<string>;
}>;

export const NO_POLICY: Policy = { rules: [], limits: [], blocklist: [], ignored: new Set() };

export function toPolicy(file: z.output<typeof policySchema>): Policy {
  const { rules, limits: bounds, blocklist, inspectors } = file;
  return { rules, limits: bounds, blocklist, ignored: new Set(inspectors.ignore) };
}

/** For editors: `# yaml-language-server: $schema=…`. */
export function policyJsonSchema(): Readonly<Record<string, unknown>> {
  return {
    title: 'Holdfast policy',
    ...z.toJSONSchema(policySchema, { io: 'input', target: 'draft-2020-12' }),
  };
}
