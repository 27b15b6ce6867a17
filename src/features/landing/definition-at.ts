import { HubError } from '../../kernel/errors.ts';
import { SMALL_YAML } from '../../kernel/yaml-limits.ts';
import { DEFINITION_FILE, type ChecksDefinition, readDefinition } from './definition.ts';
import { branchAt, inRepository } from './repository.ts';

/** What has to hold, as a commit of the target says it; undefined where it says nothing. */
async function findDefinition(repository: string, commit: string): Promise<ChecksDefinition | undefined> {
  const name = `${commit}:${DEFINITION_FILE}`;
  const text = await inRepository(repository, async ({ ask }) => {
    const { code, stdout } = await ask('cat-file', '-s', name);
    if (code !== 0) return undefined;
    if (Number(stdout) > SMALL_YAML.bytes) return ' '.repeat(SMALL_YAML.bytes + 1);
    return (await ask('cat-file', 'blob', name)).stdout;
  });
  return text === undefined ? undefined : readDefinition(text);
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
  const heads = await inRepository(repository, async (git) => {
    const names = [git.head.replace(/^refs\/heads\//, ''), 'main', 'master'];
    return Promise.all([...new Set(names)].map((name) => branchAt(git, name)));
  });
  for (const head of heads) {
    if (head === undefined) continue;
    const found = await findDefinition(repository, head).catch(ignoreBroken);
    if (!found) continue;
    const tip = await inRepository(repository, (git) => branchAt(git, found.target));
    if (tip !== undefined) return { target: found.target, tip };
  }
  return undefined;
}

/** A definition that cannot be read names no target; the queue says so when it comes to it. */
function ignoreBroken(error: unknown): undefined {
  if (!(error instanceof HubError)) throw error;
}
