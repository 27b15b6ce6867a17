// The tools that run commands, at once or in the background. What a command sees of files and variables is
// bounded.
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { HubError } from '../../../kernel/errors.ts';
import { type CallFacts, defineWorldTool, type WorldTool } from '../../broker/broker.ts';
import type { Workplace } from '../../projects/projects.ts';
import { commandLadder, commandShape } from '../grant-shapes.ts';
import { type Background, shellOwner, stateOf } from './background.ts';
import { commandEnvironment } from '../../../kernel/shell/environment.ts';
import { CappedOutput } from '../../../kernel/shell/output.ts';
import { launch } from '../../../kernel/shell/process.ts';
import {
  type Confinement,
  findConfinement,
  refuseUnconfined,
  type Sandbox,
  shellFor,
} from '../../../kernel/shell/sandbox.ts';
import type { Workspace } from '../../../kernel/workspace.ts';

export type ShellParts = Readonly<{
  workspace(place: Workplace): Promise<Workspace>;
  background: Background;
  sandbox: Sandbox;
  env: Readonly<Record<string, string | undefined>>;
  /** Variables that commands get although they are not known to be harmless. */
  shellEnv: readonly string[];
  /** Folders and files that no command sees, where commands are kept in. */
  hidden: readonly string[];
}>;

const MAX_TIMEOUT = 600_000;
/** A server or a watcher may run for a working day; it ends with the hub at the latest. */
const BACKGROUND_TIMEOUT = 24 * 60 * 60_000;
/** A command is allowed where it was approved, as confined as it was, and in the background only where it ran there. */
function surroundings(
  { background }: Readonly<{ background?: boolean | undefined }>,
  { cwd, sandbox }: CallFacts,
): Record<string, string> {
  return {
    cwd: cwd!,
    ...(sandbox !== 'none' && { sandbox: sandbox! }),
    ...(background && { background: 'yes' }),
  };
}

const UNCONFINED = "it runs without a sandbox and can read the hub's own environment, keys and tokens";
const taskId = z.string().min(1).max(100);

export function shellTools({
  workspace,
  background,
  sandbox,
  env,
  shellEnv,
  hidden,
}: ShellParts): WorldTool[] {
  const common = { scope: 'tools:call', source: 'core' } as const;
  let confinement: Promise<Confinement> | undefined;
  /** Tried once: what a call was judged by must not change while it waits. */
  const confine = () => (confinement ??= findConfinement(sandbox, env['PATH'] ?? ''));
  const prepare = async (
    { command, cwd = '.' }: { command: string; cwd?: string | undefined },
    where: Workplace,
    judged?: string,
  ) => {
    const space = await workspace(where);
    const place = await space.locate(cwd, undefined, judged);
    if ((await stat(place.path).catch(() => undefined))?.isFile())
      throw new HubError('invalid', `${place.name} is a file, not a folder.`);
    refuseUnconfined(sandbox, await confine());
    const wanted = { command, cwd: place.path, space, env: commandEnvironment(env, shellEnv), hidden };
    return { place, shell: await shellFor(await confine(), wanted) };
  };
  return [
    defineWorldTool({
      ...common,
      name: 'Bash',
      title: 'Run a command',
      description:
        'Runs a shell command in the workspace and answers stdout, stderr and the exit code. background=true answers at once with a task_id for BashOutput and BashKill.',
      input: z.object({
        command: z.string().min(1).max(100_000),
        cwd: z
          .string()
          .min(1)
          .max(4_096)
          .optional()
          .describe('A folder of the workspace; its root unless given.'),
        timeout_ms: z
          .int()
          .min(1)
          .max(MAX_TIMEOUT)
          .optional()
          .describe('120000 unless given, a day in the background. The whole process group is ended then.'),
        background: z.boolean().optional(),
      }),
      output: z.object({
        command: z.string(),
        cwd: z.string(),
        stdout: z.string().optional(),
        stderr: z.string().optional(),
        exit_code: z.int().optional(),
        timed_out: z.boolean().optional(),
        duration_ms: z.int().optional(),
        truncated: z.boolean().optional(),
        task_id: z.string().optional(),
        timeout_ms: z.int().optional(),
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      risk: 'destructive',
      async facts({ cwd = '.' }, where) {
        const space = await workspace(where);
        return {
          cwd: (await space.locate(cwd)).name,
          workspace: space.root,
          sandbox: (await confine()).kind,
        };
      },
      shape: (args, facts) => ({ ...commandShape(args.command), ...surroundings(args, facts) }),
      ladder: (args, facts) =>
        commandLadder(args.command).map((shape) => ({ ...shape, ...surroundings(args, facts) })),
      warn: (_, facts) => (facts['sandbox'] === 'none' ? UNCONFINED : undefined),
      shorten: ['stdout', 'stderr'],
      timeoutMs: MAX_TIMEOUT + 10_000,
      precheck: async (args, { place }) => void (await prepare(args, place)),
      async handler(
        { command, cwd, timeout_ms: given, background: isBackground = false },
        { who, signal, facts, place: where },
      ) {
        const timeoutMs = given ?? (isBackground ? BACKGROUND_TIMEOUT : 120_000);
        const { place, shell } = await prepare({ command, cwd }, where, facts['cwd']);
        if (isBackground) {
          const task = background.start(shellOwner(who, where), {
            command,
            cwd: place.name,
            shell,
            timeoutMs,
          });
          const value = { command, cwd: place.name, task_id: task.id, timeout_ms: timeoutMs };
          return { ok: true, value, task: task.id };
        }
        const [stdout, stderr] = [new CappedOutput(), new CappedOutput()];
        const running = launch(
          shell,
          { stdout: (chunk) => stdout.add(chunk), stderr: (chunk) => stderr.add(chunk) },
          timeoutMs,
        );
        signal.addEventListener('abort', running.kill, { once: true });
        const { exitCode, timedOut, durationMs } = await running.ended.finally(() =>
          signal.removeEventListener('abort', running.kill),
        );
        return {
          ok: true,
          value: {
            command,
            cwd: place.name,
            stdout: stdout.text(),
            stderr: stderr.text(),
            exit_code: exitCode,
            timed_out: timedOut,
            duration_ms: durationMs,
            truncated: stdout.isCut || stderr.isCut,
          },
        };
      },
    }),
    defineWorldTool({
      ...common,
      name: 'BashOutput',
      title: 'Output of a background command',
      description:
        'What a background command has said since the cursors of the call before, and how it stands.',
      input: z.object({
        task_id: taskId,
        stdout_cursor: z.int().min(0).optional(),
        stderr_cursor: z.int().min(0).optional(),
      }),
      output: z.object({
        task_id: z.string(),
        command: z.string(),
        cwd: z.string(),
        status: z.enum(['active', 'done', 'failed', 'cancelled']),
        stdout: z.string(),
        stderr: z.string(),
        stdout_cursor: z.int(),
        stderr_cursor: z.int(),
        lost: z.int().describe('Characters that were pushed out before they were read.'),
        exit_code: z.int().nullable(),
        timed_out: z.boolean(),
        started_at: z.int(),
        finished_at: z.int().nullable(),
      }),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      risk: 'safe',
      async handler({ task_id: id, stdout_cursor: out = 0, stderr_cursor: err = 0 }, { who, place }) {
        const task = background.find(shellOwner(who, place), id);
        const [stdout, stderr] = [task.stdout.after(out, 64_000), task.stderr.after(err, 64_000)];
        return {
          ok: true,
          value: {
            task_id: id,
            command: task.command,
            cwd: task.cwd,
            status: stateOf(task),
            stdout: stdout.text,
            stderr: stderr.text,
            stdout_cursor: stdout.next,
            stderr_cursor: stderr.next,
            lost: stdout.lost + stderr.lost,
            exit_code: task.ended?.exitCode ?? null,
            timed_out: task.ended?.timedOut ?? false,
            started_at: task.startedAt,
            finished_at: task.finishedAt ?? null,
          },
        };
      },
    }),
    defineWorldTool({
      ...common,
      name: 'BashKill',
      title: 'End a background command',
      description: 'Ends a background command and everything it started.',
      input: z.object({ task_id: taskId }),
      output: z.object({
        task_id: z.string(),
        status: z.enum(['active', 'done', 'failed', 'cancelled']),
        exit_code: z.int().nullable(),
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      risk: 'safe',
      async handler({ task_id: id }, { who, place }) {
        const task = await background.cancel(shellOwner(who, place), id);
        return {
          ok: true,
          value: { task_id: id, status: stateOf(task), exit_code: task.ended?.exitCode ?? null },
        };
      },
    }),
  ];
}
