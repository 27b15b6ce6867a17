/**
 * The root commits of a repository, by git itself: the only key that needs a process. All branches count,
 * so that a clone of an orphan branch alone still finds its repository. Git decides whether it trusts the
 * folder; a refusal, a missing git or a history that takes too long is no error, only no roots.
 */
import { execFile } from 'node:child_process';

const MAX_MS = 60_000;
const MAX_ROOTS = 64;

export function readRoots(folder: string, signal: AbortSignal): Promise<readonly string[]> {
  // A repository may name programs to run; none of them is needed for this, and nothing is fetched.
  const quiet = [
    '-c',
    'core.fsmonitor=false',
    '-c',
    'core.hooksPath=/dev/null',
    '-c',
    'protocol.allow=never',
  ];
  const args = [...quiet, '-C', folder, 'rev-list', '--max-parents=0', '--all'];
  return new Promise((resolve) => {
    execFile(
      'git',
      args,
      { env: plainEnvironment(), timeout: MAX_MS, signal, windowsHide: true },
      (error, output) => {
        const roots = error ? [] : output.split('\n').filter((line) => /^[0-9a-f]{40,64}$/.test(line));
        resolve(roots.sort().slice(0, MAX_ROOTS));
      },
    );
  });
}

/** A hook runs with GIT_DIR of whoever called it; the folder alone decides here. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(kept),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
  };
}
