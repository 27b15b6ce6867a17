import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { HubError } from '../kernel/errors.ts';
import { checkConfig, configPath, putConfig, readConfigText } from './config-file.ts';
import { openEditor } from './editor.ts';
import type { World } from './world.ts';

const BEGINNING = '# Settings of Holdfast; what may stand here is in docs/reference/settings.md.\n';

/** On a draft, which lies beside the file until it is good: a slip of the pen stops no hub and loses no work. */
export async function editConfig(world: World): Promise<void> {
  const draft = `${configPath(world)}.draft`;
  const before = readConfigText(world);
  if (!existsSync(draft)) {
    if (before === '') putConfig(world, '');
    writeFileSync(draft, before === '' ? BEGINNING : before, { mode: 0o600 });
  }
  openEditor(world, draft);
  const text = readFileSync(draft, 'utf8');
  try {
    const { settings } = await checkConfig(world, text);
    if (text !== before) putConfig(world, text);
    rmSync(draft);
    world.print(
      text === before ? 'Nothing was changed.' : `${configPath(world)} is in place (${settings} settings).`,
    );
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    throw new HubError('invalid', error.message, {
      hint: `${error.hint} Nothing was put in place. Your text is in ${draft}; \`holdfast config edit\` goes on with it.`,
    });
  }
}
