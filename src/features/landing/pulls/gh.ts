// `gh`, as the person has set it up: arguments in, JSON out, in an empty folder, so that no repository has a say in it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import { HubError } from '../../../kernel/errors.ts';
import { redact } from '../../../kernel/redact.ts';
import { commandEnvironment } from '../../../kernel/shell/environment.ts';
import { launch } from '../../../kernel/shell/process.ts';

const PATIENCE_MS = 60_000;
const MOST_OUTPUT = 8 * 1024 * 1024;
/** How the person signed in with it. */
const ITS_OWN =
  'GH_TOKEN GITHUB_TOKEN GH_ENTERPRISE_TOKEN GITHUB_ENTERPRISE_TOKEN GH_CONFIG_DIR XDG_RUNTIME_DIR'.split(
    ' ',
  );

export type GhEnd = Readonly<{ code: number; stdout: string; stderr: string }>;
export type RunGh = (...args: readonly string[]) => Promise<GhEnd>;

export const runGh: RunGh = async (...args) => {
  const cwd = await mkdtemp(join(tmpdir(), 'holdfast-gh-'));
  const heard = { stdout: [] as Buffer[], stderr: [] as Buffer[], length: 0 };
  const hear = (pipe: 'stdout' | 'stderr') => (chunk: Buffer) => {
    heard.length += chunk.length;
    if (heard.length <= MOST_OUTPUT) heard[pipe].push(chunk);
  };
  const quiet = { GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1' };
  const env = { ...commandEnvironment(process.env, ITS_OWN), ...quiet };
  try {
    const what = { program: 'gh', args, cwd, env };
    const { exitCode, timedOut } = await launch(
      what,
      { stdout: hear('stdout'), stderr: hear('stderr') },
      PATIENCE_MS,
    ).ended;
    const [stdout, stderr] = [heard.stdout, heard.stderr].map((each) => Buffer.concat(each).toString('utf8'));
    if (timedOut || heard.length > MOST_OUTPUT)
      throw new HubError('unavailable', `gh ${timedOut ? 'took too long' : 'said too much'}.`);
    return { code: exitCode, stdout: stdout!, stderr: stderr! };
  } catch (error) {
    if (error instanceof HubError && /could not be started|not be found|ENOENT/i.test(error.message))
      throw new HubError('unavailable', 'gh is not installed.', {
        retryable: false,
        hint: 'Pull requests go through the GitHub CLI: https://cli.github.com',
      }).because(error);
    throw error;
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
};

export function ghFailed(what: string, { code, stderr }: GhEnd): HubError {
  const why = redact(stderr.trim().split('\n').slice(-2).join(' ')).slice(0, 300);
  return new HubError('unavailable', `gh could not ${what}: ${why === '' ? `code ${code}` : why}`, {
    retryable: false,
    hint: '`gh auth status` shows whether you are signed in.',
  });
}

/** What others answer is read once, here. */
export function readGh<T>(schema: z.ZodType<T>, what: string, end: GhEnd): T {
  if (end.code !== 0) throw ghFailed(what, end);
  try {
    return schema.parse(JSON.parse(end.stdout));
  } catch (error) {
    throw new HubError('unavailable', `gh answered something else than expected to: ${what}.`).because(error);
  }
}

export type Slug = Readonly<{ host: string; owner: string; name: string }>;

/** Whose repository an address is. */
export function slugOf(url: string): Slug | undefined {
  const plain = /^(?:https|ssh):\/\/(?:[^@/]+@)?([^/:]+)(?::\d+)?\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(
    url,
  );
  const short = /^(?:[^@/]+@)?([^/:]+):([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(url);
  const [, host, owner, name] = plain ?? short ?? [];
  return host !== undefined && owner !== undefined && name !== undefined ? { host, owner, name } : undefined;
}

export const asRepo = ({ host, owner, name }: Slug): string =>
  host === 'github.com' ? `${owner}/${name}` : `${host}/${owner}/${name}`;
