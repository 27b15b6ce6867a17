import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findProgram } from '../features/dispatch/agents/programs.ts';
import type { World } from './world.ts';

/** How a desktop opens an address; undefined where nobody sits in front of one. */
function openerOf({ env }: World): string | undefined {
  const isDesktop =
    process.platform === 'darwin' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['BROWSER']);
  if (!isDesktop || env['SSH_CONNECTION']) return undefined;
  const names = process.platform === 'darwin' ? ['open'] : [env['BROWSER'] ?? '', 'xdg-open', 'gio'];
  return names.filter((name) => name !== '').flatMap((name) => findProgram(name, env['PATH'] ?? '') ?? [])[0];
}

/** True when a browser was started. Whether it shows the page is between it and the person. */
export async function openBrowser(world: World, url: string): Promise<boolean> {
  const opener = openerOf(world);
  if (opener === undefined) return false;
  const args = opener.endsWith('/gio') ? ['open', url] : [url];
  const child = spawn(opener, args, { stdio: 'ignore', detached: true });
  child.unref();
  return Promise.race([once(child, 'spawn').then(() => true), once(child, 'error').then(() => false)]).catch(
    () => false,
  );
}
