// The real agents as runs of the hub: one that finishes, one that asks, one that is cancelled, one whose hub is killed.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AGENTS } from './agents.mjs';
import { expect } from './expect.mjs';

// Some agents ask about no command that changes nothing, so each of these changes something.
const LAST_WORD = 'All is done.';
const PATIENCE_MS = 90_000;

export const runChecks = Object.keys(AGENTS).flatMap((name) => [
  {
    name: `${name} as a run: finishes, with the hub at hand under its own name`,
    run: (s) => finishes(s, name),
  },
  { name: `${name} as a run: asks, and the answer goes back`, run: (s) => asks(s, name) },
  { name: `${name} as a run: is cancelled and leaves no process`, run: (s) => isCancelled(s, name) },
  { name: `${name} as a run: its hub is killed, and it is gone on with`, run: (s) => losesItsHub(s, name) },
]);

async function finishes(stage, name) {
  await withAgent(stage, name, { tool: 'whoami', args: {} }, async (hub, model) => {
    const id = await hub.send(name);
    const run = await hub.over(id, 'allow_once');
    expect(run.task.status === 'done' && run.result.includes(LAST_WORD), 'the run is done', shown(run));
    expect(run.task.usage?.output > 0, 'its usage is known', shown(run));
    const told = JSON.stringify(model.seen);
    expect(told.includes(run.task.agent), 'whoami told the model the name of the run', shown(run));
    expect(hub.processesOf(id).length === 0, 'no process is left', shown(hub.processesOf(id)));
  });
}

async function asks(stage, name) {
  const file = join(stage.folder, 'asked.txt');
  const command = 'touch asked.txt';
  await withAgent(stage, name, AGENTS[name].shell(command), async (hub) => {
    for (const [decision, isMade] of [
      ['deny', false],
      ['allow_once', true],
    ]) {
      const id = await hub.send(name);
      const request = await hub.request(id);
      expect(request.toolName === 'AgentToolCall', 'it is a call of an agent', shown(request));
      expect(request.agentId === name, 'the request names the agent', shown(request));
      expect(request.argsSummary.includes(command), 'the request shows the exact command', shown(request));
      expect(!existsSync(file), 'nothing has happened yet', shown(request));
      expect((await hub.get(id)).task.reason === 'waiting_approval', 'the run waits', shown(request));
      await hub.decide(request, decision);
      const run = await hub.over(id, 'deny');
      expect(existsSync(file) === isMade, `${decision} reached the agent`, shown(run));
      if (isMade) expect(run.task.status === 'done', 'the run is done', shown(run));
    }
  });
}

async function isCancelled(stage, name) {
  await withAgent(stage, name, AGENTS[name].shell('touch slept.txt && sleep 987'), async (hub) => {
    const id = await hub.send(name);
    await hub.decide(await hub.request(id), 'allow_once');
    await until(() => hub.processesOf(id).some(({ line }) => line.includes('sleep 987')), 'its command runs');
    await hub.ask('POST', `/v1/biam/tasks/${id}/cancel`);
    const run = await hub.over(id, 'deny');
    expect(run.task.status === 'cancelled', 'the run is cancelled', shown(run));
    expect(hub.processesOf(id).length === 0, 'no process is left', shown(hub.processesOf(id)));
    expect(!isRunning('sleep 987'), 'its command is gone, too', shown(run));
  });
}

async function losesItsHub(stage, name) {
  await withAgent(stage, name, AGENTS[name].shell('touch lost.txt'), async (hub) => {
    const id = await hub.send(name);
    const request = await hub.request(id);
    await stage.anotherHub('SIGKILL');
    const lost = await hub.over(id, 'deny');
    expect(lost.task.status === 'expired', 'the next hub ends the run', shown(lost));
    expect(hub.processesOf(id).length === 0, 'no process is left', shown(hub.processesOf(id)));
    const { approvals } = await hub.ask('GET', '/api/tools/approvals');
    expect(!approvals.some((each) => each.id === request.id), 'what was asked is void', shown(approvals));
    expect(lost.task.session_id !== undefined, 'its session is known', shown(lost));
    const again = await hub.ask('POST', `/v1/biam/tasks/${id}/resume`, { prompt: 'Go on.' });
    const run = await hub.over(again.task_id, 'allow_once');
    expect(run.task.session_id === lost.task.session_id, 'it is the same session', shown(run));
    expect(run.task.status === 'done' && run.result.includes(LAST_WORD), 'it is gone on with', shown(run));
  });
}

const shown = (value) => ({ said: JSON.stringify({ ...value, messages: undefined }, undefined, 1) });

async function withAgent(stage, name, call, check) {
  const { startModel, prepare, settings } = AGENTS[name];
  const model = await startModel({ ...call, lastWord: LAST_WORD });
  try {
    prepare?.(stage, model);
    const agents = { [name]: { family: name, lane: 'acp', cwd: stage.folder, ...settings(model) } };
    writeFileSync(join(stage.home, '.holdfast', 'config.yaml'), JSON.stringify({ agents }));
    await stage.anotherHub('SIGTERM');
    await check(hubOf(stage), model);
  } finally {
    await model.close();
  }
}

/** What a person does through REST. */
function hubOf(stage) {
  const token = readFileSync(join(stage.home, '.holdfast', 'token'), 'utf8').trim();
  async function ask(method, path, body) {
    const response = await fetch(`${stage.address}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status} ${text}`);
    return JSON.parse(text);
  }
  const get = (id) => ask('GET', `/v1/biam/tasks/${id}`);
  const decide = ({ id }, decision) => ask('POST', `/api/tools/approvals/${id}/resolve`, { decision });
  const firstRequest = async () => (await ask('GET', '/api/tools/approvals')).approvals[0];
  const isOver = ({ task }) => !['pending', 'active'].includes(task.status);

  return {
    ask,
    get,
    decide,
    processesOf: (id) => processes().filter(({ run }) => run === id),
    async send(instance) {
      const order = { instance, prompt: 'Do what is to be done.', async: true };
      return (await ask('POST', '/v1/send_message', order)).task_id;
    },
    /** The first thing it asks for; an end without a question is an error. */
    request: (id) =>
      until(async () => {
        const run = await get(id);
        if (isOver(run)) throw new Error(`it ended without asking:\n${shown(run).said}`);
        return firstRequest();
      }, 'it asks'),
    /** How it ended; what it asks for meanwhile is decided this way. */
    over: (id, decision) =>
      until(async () => {
        const request = await firstRequest();
        if (request) await decide(request, decision);
        const run = await get(id);
        return isOver(run) && run;
      }, 'it ends'),
  };
}

async function until(look, what) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(100)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s.`);
}

function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        if (/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${name}/stat`, 'latin1'))) return [];
        const line = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ');
        const run = /HOLDFAST_RUN_ID=([^\0]+)/.exec(readFileSync(`/proc/${name}/environ`, 'latin1'))?.[1];
        return [{ pid: Number(name), line, run }];
      } catch {
        return [];
      }
    });
}

function isRunning(text) {
  return processes().some(({ line }) => line.includes(text));
}
