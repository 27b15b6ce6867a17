// `.holdfast/checks.yaml`: what has to hold before something lands. Read from the target branch, never from the branch under test.
import { z } from 'zod';
import { canonicalJson } from '../../../kernel/canonical-json.ts';
import { sha256 } from '../../../kernel/digest.ts';
import { HubError } from '../../../kernel/errors.ts';
import { SMALL_YAML, yamlProblem } from '../../../kernel/yaml-limits.ts';

export const DEFINITION_FILE = '.holdfast/checks.yaml';

const MINUTE = 60_000;
const UNITS = { s: 1_000, m: MINUTE, h: 60 * MINUTE } as const;
const LONGEST_MS = 6 * 60 * MINUTE;

const time = z
  .string()
  .regex(/^\d{1,5}(?:s|m|h)$/, 'must be a time such as 90s, 10m or 1h')
  .transform((text) => Number(text.slice(0, -1)) * UNITS[text.at(-1) as keyof typeof UNITS])
  .refine((ms) => ms > 0 && ms <= LONGEST_MS, 'must be between a second and six hours');
const name = z.string().regex(/^[A-Za-z][\w.-]{0,63}$/, 'must begin with a letter and be short and plain');
const command = z.string().trim().min(1).max(10_000);
/** A file of the tree: nothing that leads out of it. */
const path = z
  .string()
  .min(1)
  .max(500)
  .refine(
    (text) => !/^[/\\]|(?:^|\/)\.\.(?:\/|$)|[\0-\x1f*?[\]]/.test(text),
    'must be a path inside the tree',
  );
const network = z.enum(['none', 'open']);

const setupSchema = z.strictObject({
  run: command,
  key: z.array(path).min(1).max(50),
  network: network.default('none'),
  timeout: time.default(10 * MINUTE),
});
const checkSchema = z.strictObject({
  run: command,
  setup: name.optional(),
  timeout: time.default(10 * MINUTE),
  network: network.default('none'),
  junit: path.optional(),
  retries: z.int().min(0).max(5).default(0),
  required: z.boolean().default(true),
});
const definitionSchema = z.strictObject({
  version: z.literal(1),
  target: z
    .string()
    .max(200)
    .regex(
      /^(?![-/.])(?!.*(?:\.\.|\/\/|@\{|\.lock$|[/.]$))[^\s~^:?*[\\\0-\x1f\x7f]+$/,
      'must be the name of a branch',
    )
    .default('main'),
  setup: z.record(name, setupSchema).default({}),
  checks: z.record(name, checkSchema).default({}),
});

export type Setup = Readonly<z.infer<typeof setupSchema> & { name: string }>;
export type CheckDefinition = Readonly<
  Omit<z.infer<typeof checkSchema>, 'setup'> & {
    name: string;
    setup: Setup | undefined;
    /** Of all that decides what it does. */
    hash: string;
  }
>;
export type ChecksDefinition = Readonly<{ target: string; checks: readonly CheckDefinition[] }>;

/** Refuses with what is wrong and where, so that its author can mend it. */
export async function readDefinition(text: string): Promise<ChecksDefinition> {
  const problem = yamlProblem(text, SMALL_YAML);
  if (problem !== undefined) throw broken(problem);
  const { readYaml } = await import('../../../kernel/yaml-text.ts');
  let document: unknown;
  try {
    document = readYaml(text);
  } catch (error) {
    throw broken((error as Error).message);
  }
  const read = definitionSchema.safeParse(document);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw broken(`${issue!.path.join('.') || 'it'}: ${issue!.message}`);
  }
  const { target, setup: setups, checks } = read.data;
  return {
    target,
    checks: Object.entries(checks).map(([key, { setup: needs, ...check }]) => {
      const found = needs === undefined ? undefined : setups[needs];
      if (needs !== undefined && !found) throw broken(`checks.${key}.setup: there is no set-up ${needs}`);
      const setup = found && { ...found, name: needs! };
      const decides = {
        run: check.run,
        network: check.network,
        junit: check.junit ?? null,
        setup: setup ?? null,
      };
      return { ...check, name: key, setup, hash: sha256(canonicalJson(decides)) };
    }),
  };
}

function broken(why: string): HubError {
  return new HubError('invalid', `${DEFINITION_FILE} of the target cannot be used: ${why}`, {
    hint: 'Mend it on the target branch; docs/guides/landing.md shows one.',
  });
}
