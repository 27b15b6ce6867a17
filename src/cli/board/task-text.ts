// A task as Markdown with front matter, as `-e` opens it in an editor: what it says above, what is to be done below.
import { isMap, stringify } from 'yaml';
import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import { nearestName } from '../../kernel/nearest-name.ts';
import { SMALL_YAML, yamlProblem } from '../../kernel/yaml-limits.ts';
import { parseYaml } from '../../kernel/yaml-text.ts';

// Everything is read as text: an id of digits is no number.
const text = z.string();
const texts = z
  .union([z.array(text), text])
  .transform((given) => [given].flat().filter((each) => each.trim() !== ''));
const orNone = text.transform((given) => (given === '' ? null : given));

const fields = {
  title: text.refine((given) => given.trim() !== '', 'must not be empty'),
  status: text,
  priority: text.regex(/^-?\d{1,7}$/, 'must be a whole number').transform(Number),
  due: orNone,
  labels: texts,
  after: texts,
  branch: orNone,
  agent: orNone,
  checks: texts,
};
const head = z.object(fields).partial();

export type TaskText = z.output<typeof head> & Readonly<{ description: string }>;

/** What is not said is left out; what may be said and is not stands there empty. */
export function renderTaskText({ description, ...given }: TaskText): string {
  return `---\n${stringify(given, { nullStr: '', lineWidth: 0 })}---\n\n${description.trim()}\n`;
}

const FORM = /^---[ \t]*\r?\n(.*?)^---[ \t]*\r?\n?(.*)$/ms;

export function readTaskText(written: string): TaskText {
  const [, above, below] = FORM.exec(written) ?? [];
  if (above === undefined) throw bad('it does not begin with --- and a second --- below the fields');
  const problem = yamlProblem(above, SMALL_YAML);
  if (problem !== undefined) throw bad(problem);
  const { document, problem: mistake } = parseYaml(above, { schema: 'failsafe' });
  if (mistake !== undefined) throw bad(mistake);
  if (document.contents !== null && !isMap(document.contents))
    throw bad('what stands above is no list of fields');
  const given = (document.toJS() ?? {}) as Record<string, unknown>;
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(fields, name)) continue;
    const meant = nearestName(name, Object.keys(fields));
    throw bad(
      `there is no field ${JSON.stringify(name)}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    );
  }
  const read = head.safeParse(given);
  if (read.success) return { ...read.data, description: below!.trim() };
  const [issue] = read.error.issues;
  throw bad(`${issue!.path.join('.')} ${issue!.message.replace(/^Invalid input.*/, 'cannot be read')}`);
}

function bad(why: string): HubError {
  return new HubError('invalid', `This is no task: ${why}.`);
}
