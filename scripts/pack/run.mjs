// Commands of the packing test: each runs to its end or throws with what it said.
import { spawnSync } from 'node:child_process';
import { delimiter, dirname } from 'node:path';

export function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: 300_000,
    ...options,
  });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} ended with ${status ?? error?.message}\n${stdout}${stderr}`);
}

/** npm under a given Node, which then is the one on the path of all it starts. */
export function npm(args, { cwd, node }) {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--no-update-notifier'];
  const env = { ...process.env, ...(node && { PATH: `${dirname(node)}${delimiter}${process.env.PATH}` }) };
  // npm tells its scripts about itself; what it starts here is another npm, in another folder.
  for (const name of Object.keys(env)) if (/^npm_(config|package|lifecycle)/.test(name)) delete env[name];
  const npmScript = process.env.npm_execpath;
  if (!npmScript) return run('npm', [...args, ...quiet], { cwd, env });
  return run(node ?? process.execPath, [npmScript, ...args, ...quiet], { cwd, env });
}
