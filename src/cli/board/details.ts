import type { Command } from 'commander';
import type { Check } from '../../features/board/detail.ts';
import { HubError } from '../../kernel/errors.ts';
import { type BoardAnswer, claimOf, onTask } from './one.ts';
import type { Client } from '../client.ts';
import { gitReference } from './git-reference.ts';
import { type Options, withDatabase } from '../options.ts';
import { idEnding, shortId } from '../short-id.ts';
import { printable } from '../terminal/table.ts';
import { findTask } from './task-id.ts';
import type { World } from '../world.ts';

/** `board check|evidence|unlink`: what hangs on one task. */
export function addBoardDetails(board: Command, world: World): void {
  const one = (name: string, description: string) =>
    withDatabase(board.command(name)).description(description);
  one('check', 'add an acceptance check to a task')
    .argument('<task>')
    .argument('<title>', 'what has to be shown before the task is done')
    .option('--optional', 'good to have; does not keep the task open')
    .action((task: string, title: string, options: Options) =>
      onTask(world, { task, options }, async ({ ask }, taskId) => {
        const required = options['optional'] !== true;
        const check = await ask('POST /api/board/tasks/:taskId/checks', { taskId, title, required });
        return { value: check, line: `${shortId(check.id)} added: ${printable(check.title)}` };
      }),
    );
  one('evidence', 'give evidence for a check of a task: a branch, a commit, the address of a pull request')
    .argument('<task>')
    .argument('<check>', 'its id or the end of it, or its title')
    .argument('<summary>', 'what was seen')
    .option('--reference <text>', 'where to look: a file, a URL, a line of a log')
    .option('--branch <name>', 'the branch it is to be seen on')
    .option('--commit <id>', 'the commit it is to be seen at: its id, or a name such as HEAD')
    .option('--pr <url>', 'the address of its pull request')
    .option('--failed', 'it shows that the check is not satisfied')
    .option('--as <agent>', 'who you are')
    .option('--fence <number>', 'the number of your claim')
    .action((task: string, ...[check, summary, options]: [string, string, Options]) =>
      onTask(world, { task, options }, (client, taskId) =>
        giveEvidence(client, taskId, { check, summary, options, cwd: world.cwd }),
      ),
    );
  one('unlink', 'a task no longer waits for another')
    .argument('<task>')
    .argument('<dependency>', 'what it waited for')
    .action((task: string, dependency: string, options: Options) =>
      onTask(world, { task, options }, async (client, taskId) => {
        const link = { taskId, dependsOnTaskId: await findTask(client, dependency) };
        const gone = 'DELETE /api/board/tasks/:taskId/dependencies/:dependsOnTaskId';
        return { value: await client.ask(gone, link), line: 'Unlinked.' };
      }),
    );
}

function noSuchCheck(task: string, given: string, checks: readonly Check[]): HubError {
  const titles = checks.map(({ title }) => `  ${printable(title)}`);
  const hint =
    titles.length === 0
      ? `It has none yet; add one with \`holdfast board check ${shortId(task)} <title>\`.`
      : ['It has:', ...titles].join('\n  ');
  return new HubError('not_found', `The task has no check ${JSON.stringify(given)}.`, { hint });
}

type Given = Readonly<{ check: string; summary: string; options: Options; cwd: string }>;

async function giveEvidence(
  { ask }: Client,
  taskId: string,
  { check, summary, options, cwd }: Given,
): Promise<BoardAnswer> {
  const { checks } = await ask('GET /api/board/tasks/:taskId', { taskId, commentLimit: 1 });
  const titled = checks.find(({ title }) => title === check);
  const ids = checks.map((each) => each.id);
  const checkId = titled?.id ?? idEnding(ids, check, 'checks');
  if (!ids.includes(checkId)) throw noSuchCheck(taskId, check, checks);
  const value = await ask('POST /api/board/tasks/:taskId/evidence', {
    taskId,
    checkId,
    passed: options['failed'] !== true,
    summary,
    reference: await gitReference(options, cwd),
    ...claimOf(options),
  });
  return { value, line: `Evidence added: ${value.passed ? 'passed' : 'failed'}.` };
}
