import { HubError } from '../../../kernel/errors.ts';
import { headOf } from '../../../kernel/git/git.ts';
import { SMALL_YAML } from '../../../kernel/yaml-limits.ts';
import { DEFINITION_FILE, type ChecksDefinition, readDefinition } from './definition.ts';
import { branchAt, inRepository, repositoryAt } from '../repository.ts';

/** A commit is what it is: what it says is asked once. */
const said = new Map<string, Promise<string | undefined>>();
const MOST_SAID = 200;

/** What has to hold, as a commit of the target says it; undefined where it says nothing. */
async function findDefinition(repository: string, commit: string): Promise<ChecksDefinition | undefined> {
  const key = `${repository}\n${commit}`;
  const asked = said.get(key) ?? readAt(repository, commit);
  if (said.size >= MOST_SAID) said.clear();
  said.set(key, asked);
  asked.catch(() => said.delete(key));
  const text = await asked;
  return text === undefined ? undefined : readDefinition(text);
}

/** A commit that does not change the definition says what the one before it says. */
export function saysTheSame(repository: string, before: string, commit: string): void {
  const known = said.get(`${repository}\n${before}`);
  if (known) said.set(`${repository}\n${commit}`, known);
}

async function readAt(repository: string, commit: string): Promise<string | undefined> {
  const { stdout } = await inRepository(repository, ({ feed }) =>
    feed(`${commit}:${DEFINITION_FILE}\n`, 'cat-file', '--batch'),
  );
  const end = stdout.indexOf('\n');
  const [, size] = /^[0-9a-f]+ blob (\d+)$/.exec(stdout.slice(0, end)) ?? [];
  if (size === undefined) return undefined;
  if (Number(size) > SMALL_YAML.bytes) return ' '.repeat(SMALL_YAML.bytes + 1);
  return stdout.slice(end + 1, -1);
}

export async function definitionAt(repository: string, commit: string): Promise<ChecksDefinition> {
  const found = await findDefinition(repository, commit);
  if (found) return found;
  throw new HubError('invalid', `The target has no ${DEFINITION_FILE}, so nothing says what has to hold.`, {
    hint: 'Commit one on the target branch; docs/guides/landing.md shows it.',
  });
}

/** The branch that things land on: what is checked out, main or master says so in its definition. Undefined where none does. */
export async function findTarget(
  repository: string,
): Promise<Readonly<{ target: string; tip: string }> | undefined> {
  const place = await repositoryAt(repository);
  const checkedOut = (await headOf(place.own)).replace(/^refs\/heads\//, '');
  const names = new Set([checkedOut, 'main', 'master']);
  const heads = await Promise.all([...names].map((name) => branchAt(place, name)));
  for (const head of heads) {
    if (head === undefined) continue;
    const found = await findDefinition(repository, head).catch(ignoreBroken);
    if (!found) continue;
    const tip = await branchAt(place, found.target);
    if (tip !== undefined) return { target: found.target, tip };
  }
  return undefined;
}

/** A definition that cannot be read names no target; the queue says so when it comes to it. */
function ignoreBroken(error: unknown): undefined {
  if (!(error instanceof HubError)) throw error;
}
