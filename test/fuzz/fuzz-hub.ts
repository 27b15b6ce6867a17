import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHub } from '../../src/app.ts';
import { type Config, resolveConfig } from '../../src/kernel/config.ts';
import { hubToken } from '../../src/kernel/home.ts';
import type { Hub } from '../../src/kernel/hub.ts';
import { type Log, silentLog } from '../../src/kernel/log.ts';

/** A hub whose tools all run, in a folder that may be spoilt. */
export async function openFuzzHub(
  folder: string,
  server?: Readonly<{ url: string; schema: string }>,
  { log = silentLog, config: settings = '' }: Readonly<{ log?: Log; config?: string }> = {},
): Promise<Readonly<{ hub: Hub; token: string; config: Config }>> {
  const [home, workspace] = [join(folder, 'home'), join(folder, 'workspace')];
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(join(workspace, 'sub'), { recursive: true });
  writeFileSync(join(workspace, 'a.txt'), 'one\ntwo\n');
  writeFileSync(join(workspace, 'b.html'), '<p>text</p>');
  symlinkSync('/etc/hosts', join(workspace, 'link'));
  writeFileSync(join(home, 'policy.yaml'), 'version: 1\nrules:\n  - { decide: allow }\n');
  writeFileSync(
    join(home, 'config.yaml'),
    `limits: { calls: 0 }\napprovals: { wait: 50ms, life: 1s }\n${settings}`,
  );
  const database = server && { '--database': server.url };
  const flags = { '--port': '0', '--workspace': workspace, ...database };
  const env = server ? { HOLDFAST_DATABASE_SCHEMA: server.schema } : {};
  const config = await resolveConfig({ flags, env, home });
  const hub = await createHub(config, 'public', log);
  return { hub, token: hubToken(config, {}), config };
}
