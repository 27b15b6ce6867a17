import { Command } from 'commander';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Check } from '../../features/board/detail.ts';
import type { Api } from '../../features/api.ts';
import { hubToken } from '../../kernel/home.ts';
import { linkTo } from '../../kernel/hub-link.ts';
import type { CallRoute } from '../../operation/call-route.ts';
import { joinAs, type DemoAgent } from './agent.ts';
import { type DemoSeat, renewAsks, runDemoRunner, startDemoPrograms, writeDemoPrograms } from './programs.ts';
import { landInDemo } from './landings.ts';
import { makeDemoRepository } from './repository.ts';
import { writeDemoSessions } from './sessions.ts';
import {
  AGENTS,
  ANSWERED,
  ASKS,
  FACTS,
  LETTERS,
  MEMORIES,
  POLICY,
  POSTS,
  PROCEDURE,
  TASKS,
  UNASKED,
  type DemoTask,
} from './story.ts';
import { askingBy } from '../hints.ts';
import { configFrom, type Options } from '../options.ts';
import type { World } from '../world.ts';

/** A hub of its own, in a folder that is gone afterwards, with agents that really call it. Nothing of the person's is touched. */
export function demoCommand(world: World): Command {
  return new Command('demo')
    .description(
      'run a hub with made-up work in a folder of its own, to look around; Ctrl-C ends it and removes it',
    )
    .option('--port <number>', 'the port; 0 takes any free one (18790, or the next free one up to 18809)')
    .option('--still', 'the agents do nothing more after the beginning, and no run is started')
    .option('--json', 'answer as JSON')
    .action((options: Options) => runDemo(world, options));
}

async function runDemo(world: World, options: Options): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-demo-')));
  // Beside each other: tools never reach into the home of a hub.
  const [home, workspace] = [join(folder, 'home'), join(folder, 'workspace')];
  const repository = join(folder, 'tidepool');
  // Made while the hub starts, which takes as long.
  const committed = makeDemoRepository(repository, 'fix-login-redirect').catch(() => undefined);
  try {
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'policy.yaml'), POLICY);
    writeFileSync(join(home, 'config.yaml'), writeDemoPrograms(folder));
    mkdirSync(join(workspace, 'build', 'firmware-old'), { recursive: true });
    const env = {
      HOME: world.env['HOME'],
      PATH: world.env['PATH'],
      HOLDFAST_HOME: home,
      HOLDFAST_LOG: 'error',
    };
    // What clients recorded for the person is none of the demo's business: it has recordings of its own.
    process.env['CLAUDE_CONFIG_DIR'] = join(folder, 'claude');
    const given: Options = { port: options['port'], workspace };
    const config = await configFrom({ ...world, env }, given);
    const hub = await world.createHub(config, 'public');
    try {
      const stage = createStage(hub.address, hubToken(config, env));
      const commit = await committed;
      if (commit !== undefined) writeDemoSessions({ folder, repository, commit });
      await stage.tell(commit === undefined ? undefined : repository);
      const { address } = hub;
      const url = `${address}${await stage.signInPath()}`;
      world.print(options['json'] ? JSON.stringify({ address, url }) : announce(address, url));
      const seat = { folder, address, world, ...(commit !== undefined && { repository }) };
      const going = options['still'] ? [] : stage.goOn(seat);
      if (!world.interrupted.aborted) await once(world.interrupted, 'abort');
      await Promise.allSettled(going);
    } finally {
      await hub.close();
    }
  } finally {
    await committed;
    rmSync(folder, { recursive: true, force: true });
  }
}

function announce(address: string, url: string): string {
  return [
    `A demo of Holdfast is up at ${address}`,
    'Open it in a browser. Ctrl-C ends it and removes what it wrote.',
    `Runs, tokens and the policy are for its owner: ${url} signs a browser in, once and within two minutes.`,
  ].join('\n');
}

function createStage(address: string, token: string) {
  const agents = new Map<string, DemoAgent>();
  const ids = new Map<string, string>();
  const ask = askingBy(linkTo({ address, token }).call);

  async function play({
    key,
    by,
    ends,
    says = [],
    checks = [],
    files,
    branch,
    labels,
    due,
    ...task
  }: DemoTask): Promise<void> {
    const { after = [], team, ...rest0 } = task;
    const dependsOn = after.map((other) => ids.get(other)!);
    const status = task.status === 'cancelled' ? ('todo' as const) : task.status;
    const body = { ...rest0, teamId: team, dependsOn, status, ...(due !== undefined && { due: dayIn(due) }) };
    const { id } = await ask('POST /api/board/tasks', body);
    ids.set(key, id);
    if (labels) await ask('PATCH /api/board/tasks/:taskId/labels', { taskId: id, add: [...labels] });
    const found: Check[] = [];
    for (const title of checks)
      found.push(await ask('POST /api/board/tasks/:taskId/checks', { taskId: id, title }));
    if (task.status === 'cancelled')
      await ask('PATCH /api/board/tasks/:taskId', { taskId: id, status: 'cancelled' });
    if (by === undefined) return;
    const agent = agents.get(by)!;
    await agent.call('tasks__claim_task', { taskId: id });
    if (branch !== undefined) await agent.call('tasks__update_task', { taskId: id, branchRef: branch });
    if (files) await agent.call('reserve_files', { taskId: id, patterns: files });
    for (const text of says) await agent.call('tasks__add_comment', { taskId: id, body: text });
    const proven = ends === 'in_progress' ? found.slice(0, 1) : found;
    for (const { id: checkId, title } of proven)
      await agent.call('tasks__submit_evidence', {
        taskId: id,
        checkId,
        passed: true,
        summary: `npm test: ${title}`,
      });
    if (ends === 'blocked') await agent.call('tasks__block_task', { taskId: id });
    else if (ends !== undefined && ends !== 'in_progress')
      await agent.call('tasks__update_task_status', { taskId: id, status: ends });
  }

  return {
    /** What `holdfast open` would print goes to the person's own hub, so the demo has its own. */
    /** Signs in, and leads to the first view. */
    signInPath: async () => `${(await ask('POST /api/open')).path}&to=%2F`,
    async tell(repository: string | undefined): Promise<void> {
      if (repository !== undefined) await ask('POST /api/projects/resolve', { folder: repository });
      const joining: Promise<DemoAgent>[] = [];
      for (const { name, team } of AGENTS) {
        const made = await ask('POST /api/tokens', { agent: name, team, label: 'demo' });
        joining.push(joinAs(address, name, made.token));
      }
      for (const agent of await Promise.all(joining)) agents.set(agent.name, agent);
      for (const task of TASKS) await play(task);
      const [first] = agents.values();
      for (const fact of FACTS) await first!.call('memory__memory_save', { ...fact, source: 'demo' });
      await first!.call('memory__memory_save', { ...PROCEDURE });
      for (const memory of MEMORIES)
        await ask('POST /api/brain/memories', { ...memory, tags: [...memory.tags] });
      for (const { by, text } of POSTS) await agents.get(by)!.call('teamchat__team_chat_post', { text });
      for (const { from, to, text } of LETTERS)
        await agents
          .get(from)!
          .call('PeerSend', { to, text })
          .catch(() => undefined);
      for (const { by, tool, args, ...answer } of ANSWERED) {
        const answered = agents
          .get(by)!
          .call(tool, args)
          .catch(() => undefined);
        await waitForAsks(ask, 1);
        const [asked] = (await ask('GET /api/tools/approvals')).approvals;
        if (asked) await ask('POST /api/tools/approvals/:id/resolve', { id: asked.id, ...answer });
        await answered;
      }
      for (const { by, tool, args } of UNASKED)
        await agents
          .get(by)!
          .call(tool, args)
          .catch(() => undefined);
      // These wait for a person, as they would anywhere; the demo goes on meanwhile.
      for (const [asked, { by, tool, args }] of ASKS.entries()) {
        void agents
          .get(by)!
          .call(tool, args)
          .catch(() => undefined);
        await waitForAsks(ask, asked + 1);
      }
    },

    /** Everything that goes on by itself; each ends when the demo does. */
    goOn({ folder, address: at, world, repository }: DemoSeat): readonly Promise<void>[] {
      const { interrupted } = world;
      const calls = ASKS.map(
        ({ by, tool, args }) =>
          () =>
            agents.get(by)!.call(tool, args),
      );
      return [
        stir(interrupted),
        startDemoPrograms(ask, repository),
        ...(repository === undefined ? [] : [landInDemo(ask, repository)]),
        runDemoRunner(ask, { folder, address: at, world }),
        renewAsks(ask, calls, interrupted),
      ].map((each) => each.catch(() => undefined));
    },
  };

  /** Something small every few seconds, so that one sees the page move. */
  async function stir(stopped: AbortSignal): Promise<void> {
    for (let turn = 0; !stopped.aborted; turn += 1) {
      await wait(6_000, undefined, { signal: stopped });
      for (const agent of agents.values()) await agent.call('whoami').catch(() => undefined);
      const agent = [...agents.values()][turn % agents.size]!;
      const line = LINES[turn % LINES.length]!;
      const held = [ids.get('import')!, '', ids.get('lamp')!, ''][turn % agents.size];
      if (held) await agent.call('tasks__add_comment', { taskId: held, body: line }).catch(() => undefined);
    }
  }
}

const LINES = [
  'Tests pass; polishing the error texts.',
  'Reading the spec once more.',
  'One file left.',
  'Ran the samples again: all green.',
];

/** A day that is so many days from now, here. */
function dayIn(days: number): string {
  const day = new Date();
  day.setDate(day.getDate() + days);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

async function waitForAsks(ask: CallRoute<Api>, count: number): Promise<void> {
  for (let tries = 0; tries < 40; tries += 1) {
    const { approvals } = await ask('GET /api/tools/approvals');
    if (approvals.length >= count) return;
    await wait(50);
  }
}
