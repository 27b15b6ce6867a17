import { HubError } from '../../kernel/errors.ts';
import { withGit } from '../../kernel/git/git.ts';
import { checkoutOf } from '../../kernel/git/repository.ts';
import { SMALL_YAML } from '../../kernel/yaml-limits.ts';
import { DEFINITION_FILE, type Definition, readDefinition } from './definition.ts';

/** What has to hold, as a commit of the target says it; undefined where it says nothing. */
export async function findDefinition(repository: string, commit: string): Promise<Definition | undefined> {
  const place = await checkoutOf(repository);
  const name = `${commit}:${DEFINITION_FILE}`;
  const text = await withGit({ place }, async ({ ask }) => {
    const { code, stdout } = await ask('cat-file', '-s', name);
    if (code !== 0) return undefined;
    if (Number(stdout) > SMALL_YAML.bytes) return ' '.repeat(SMALL_YAML.bytes + 1);
    return (await ask('cat-file', 'blob', name)).stdout;
  });
  return text === undefined ? undefined : readDefinition(text);
}

export async function definitionAt(repository: string, commit: string): Promise<Definition> {
  const found = await findDefinition(repository, commit);
  if (found) return found;
  throw new HubError('invalid', `The target has no ${DEFINITION_FILE}, so nothing says what has to hold.`, {
    hint: 'Commit one on the target branch; docs/guides/landing.md shows it.',
  });
}
