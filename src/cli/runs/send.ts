import { Command } from 'commander';
import { runningHub } from '../../kernel/discovery.ts';
import { HubError } from '../../kernel/errors.ts';
import { repositoryAround } from '../../kernel/git/place.ts';
import { type Client, withClient } from '../client.ts';
import { configFrom, type Options, textsOf, withDatabase } from '../options.ts';
import { tailRun } from './tail.ts';
import { CANCEL, exitFor, resultText, summaryLine } from './view.ts';
import type { World } from '../world.ts';

/** `holdfast send`: the same call as POST /v1/send_message and SendMessage. */
export function sendCommand(world: World): Command {
  return withDatabase(new Command('send'))
    .description('hand a prompt to an agent and follow it until it is done')
    .argument('<instance>', 'from `holdfast agents`; - for the default, or the one with --tag')
    .argument('<prompt>', 'what it is to do; - reads it from standard input')
    .option('--async', 'print the id of the run and leave it to the hub')
    .option('--wait', 'print only the result')
    .option('--tag <tag>', 'any agent with this tag')
    .option('--model <name>', 'the model it uses')
    .option('--session <id>', "go on with the agent's own session")
    .option('--cwd <folder>', 'where it works (the repository you are in)')
    .option('--on <runner>', 'the one machine that is to have it')
    .option('--needs <label...>', 'labels that its machine has')
    .action((instance: string, prompt: string, options: Options) =>
      send(world, { instance, prompt }, options),
    );
}

type Order = Readonly<{ instance: string; prompt: string }>;

async function send(world: World, { instance, prompt }: Order, options: Options): Promise<void> {
  if (options['async']) await requireHub(world, options);
  const body = {
    ...(instance !== '-' && { instance }),
    prompt: prompt === '-' ? await readAll(world.stdin) : prompt,
    async: true as const,
    ...(typeof options['tag'] === 'string' && { tag: options['tag'] }),
    opts: optsFrom(world, options),
  };
  await withClient(world, options, async (client) => {
    const { task_id: id } = await client.ask('POST /v1/send_message', body);
    if (options['async']) return world.print(options['json'] ? JSON.stringify({ task_id: id }) : id);
    await follow({ world, options }, client, id);
  });
}

type Terminal = Readonly<{ world: World; options: Options }>;

async function follow({ world, options }: Terminal, client: Client, id: string): Promise<void> {
  const quiet: World = { ...world, print: () => undefined, tell: () => undefined };
  const isJson = options['json'] === true && !options['wait'];
  const ended = await tailRun(options['wait'] ? quiet : world, client, { id, isJson }).catch(
    async (thrown: unknown) => {
      // Whoever leaves takes the run along.
      if (world.interrupted.aborted) await client.ask(CANCEL, { taskId: id });
      throw thrown;
    },
  );
  if (options['wait']) {
    const { result } = await client.ask('GET /v1/biam/tasks/:taskId', { taskId: id });
    if (options['json']) world.print(JSON.stringify({ run: ended, result }));
    else if (result !== null) world.print(resultText(result));
  }
  if (!options['json']) world.tell(summaryLine(ended));
  exitFor(ended);
}

function optsFrom(world: World, options: Options): Record<string, string | string[]> {
  const needs = textsOf(options, 'needs');
  const pick = (name: string, as = name) =>
    typeof options[name] === 'string' ? { [as]: options[name] } : {};
  return {
    ...pick('cwd'),
    ...pick('model'),
    ...pick('session', 'session_id'),
    ...pick('on'),
    ...(needs && { needs }),
    ...(repositoryAround(world.cwd) !== undefined && { project: world.cwd }),
  };
}

/** What is left to the hub needs one that stays. */
export async function requireHub(world: World, options: Options): Promise<void> {
  if (await runningHub(await configFrom(world, options))) return;
  throw new HubError('unavailable', 'There is no hub that would go on with it.', {
    retryable: false,
    hint: 'Start one with `holdfast up`, or leave --async out.',
  });
}

async function readAll(stdin: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stdin) text += String(chunk);
  return text;
}
