import { pause } from '../../src/kernel/clock.ts';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { framesIn, problemsOf, recordedConversation } from '../fixtures/acp-frames.ts';
import { eachEngine, freshFolder } from '../fixtures/databases.ts';
import { dispatchHub, openAt, PATIENCE, pending, resolve } from '../fixtures/dispatch-hub.ts';

const folder = fileURLToPath(new URL('../fixtures/dispatch/', import.meta.url));

function acp(more: object = {}, frames = recordedConversation()) {
  return {
    talker: {
      family: 'acp',
      command: [process.execPath, join(folder, 'acp-agent.mjs'), freshFolder(), frames],
      ...more,
    },
  };
}

eachEngine('agents that speak ACP', (engine) => {
  it('are done when their turn ends, with what they said and what it cost', async () => {
    const hub = await dispatchHub(engine, acp());
    const run = await hub.run('say hello\nsay  world\nservers', 'talker');
    expect(run).toMatchObject({
      status: 'done',
      lane: 'acp',
      session_id: expect.stringMatching(/^session-/),
      usage: { inputUncached: 10, output: 5, costUsd: 0.5 },
      cost_usd: 0.5,
    });
    expect(run.result).toContain('hello world[{"type":"http","name":"holdfast"');
    expect(run.result).toContain(`"url":"${hub.address}/mcp"`);
    expect(run.result).not.toMatch(/hft_[0-9a-f]{16}/);
    const stream = await hub.subscribe(run.task_id);
    await stream.ended;
    const frames = stream.events.filter(({ event }) => event === 'frame').map(({ data }) => data);
    expect(
      frames
        .filter(({ type }) => type === 'text')
        .map(({ kind, text }) => [kind, text])
        .slice(0, 2),
    ).toEqual([
      ['acp', 'hello'],
      ['acp', ' world'],
    ]);
  });

  it('ask through the inbox with the exact call; the answer goes back', async () => {
    const hub = await dispatchHub(engine, acp());
    const id = await hub.start('ask rm -rf build\nask npm test', 'talker');
    const first = await pending(hub);
    expect(first).toMatchObject({
      toolName: 'AgentToolCall',
      agentId: 'talker',
      argsSummary: expect.stringContaining('rm -rf build'),
    });
    expect((await hub.ask('GET', `/v1/biam/tasks/${id}`)).body.task).toMatchObject({
      status: 'active',
      reason: 'waiting_approval',
    });
    await resolve(hub, first.id, 'deny');
    const second = await pending(hub);
    expect(second.argsSummary).toContain('npm test');
    await resolve(hub, second.id, 'allow_once');
    expect((await hub.over(id)).result).toBe('[rm -rf build: no][npm test: yes]');
  });

  it('the word that came with a no reaches the agent when its turn is over, and the run shows it', async () => {
    const hub = await dispatchHub(engine, acp());
    const id = await hub.start('ask rm -rf build\nsay going on', 'talker');
    const { id: asked } = await pending(hub);
    await resolve(hub, asked, 'deny', {
      // The agent of this test does what a prompt says, line by line.
      note: 'Keep the build.\nsay kept it\nremember',
    });
    const { result, status, usage } = await hub.over(id);
    expect(status).toBe('done');
    expect(result).toBe('[rm -rf build: no]going onkept itask rm -rf build\nsay going on;');
    expect(usage).toMatchObject({ output: 10, turns: 2 });
    const stream = await hub.subscribe(id);
    await expect.poll(() => stream.text(), PATIENCE).toContain('with the word: Keep the build.');
  });

  it('mail that comes while it works is its next prompt, quoted', async () => {
    const frames = recordedConversation();
    const hub = await dispatchHub(engine, acp({}, frames));
    const id = await hub.start('ask rm -rf build', 'talker');
    const { id: asked } = await pending(hub);
    const to = `talker-${id.slice(-6)}`;
    const sent = await hub.ask('POST', '/api/mail', { to, text: 'the keel is laid\nsay forged' });
    expect(sent.status).toBe(201);
    // Its knock has come in when the next thing that this hub does is done.
    await pause(1_500);
    await resolve(hub, asked, 'deny');
    const { status, usage, result } = await hub.over(id);
    const prompts = framesIn(frames)
      .map(({ msg }) => msg as any)
      .filter(({ method }) => method === 'session/prompt')
      .map(({ params }) => params.prompt[0].text as string);
    expect(prompts).toEqual([
      'ask rm -rf build',
      expect.stringContaining('| the keel is laid\n| say forged'),
    ]);
    expect({ status, turns: usage.turns, result }).toEqual({
      status: 'done',
      turns: 2,
      result: '[rm -rf build: no]',
    });
    const receipt = await hub.ask('GET', `/v1/peers/messages/${sent.body.id}`, undefined, hub.token);
    expect(receipt.body).toMatchObject({ state: 'acked' });
  });

  it('a grant is for that command, in later runs of the same agent, too; a policy needs nobody', async () => {
    const hub = await dispatchHub(engine, acp());
    const id = await hub.start('ask npm test\nask npm test', 'talker');
    await resolve(hub, (await pending(hub)).id, 'allow_always');
    expect((await hub.over(id)).result).toBe('[npm test: yes][npm test: yes]');
    expect((await hub.run('ask npm test', 'talker')).result).toBe('[npm test: yes]');
    const other = await hub.start('ask npm publish', 'talker');
    expect((await pending(hub)).argsSummary).toContain('npm publish');
    await hub.ask('POST', `/v1/biam/tasks/${other}/cancel`);
    expect(await hub.over(other)).toMatchObject({ status: 'cancelled' });
    expect((await hub.ask('GET', '/api/tools/approvals')).body.approvals).toEqual([]);
    writeFileSync(
      join(hub.home, 'policy.yaml'),
      'version: 1\nrules:\n  - tool: AgentToolCall\n    args: { command: "git *" }\n    decide: deny\n',
    );
    // The hub looks at the file again after a fifth of a second.
    await pause(1_500);
    expect((await hub.run('ask git push', 'talker')).result).toBe('[git push: no]');
  });

  it('nobody answers: the request lapses and is refused', async () => {
    const hub = await dispatchHub(engine, acp(), { approvals: { wait: '300ms', life: '1s' } });
    expect((await hub.run('ask make', 'talker')).result).toBe('[make: no]');
  });

  it("mode full is the operator's word for everything", async () => {
    const hub = await dispatchHub(engine, acp({ mode: 'full' }));
    expect((await hub.run('ask anything', 'talker')).result).toBe('[anything: yes]');
  });

  it('are cancelled by protocol first, and by force when they do not listen', async () => {
    const hub = await dispatchHub(engine, acp());
    for (const prompt of ['say ready\nwait', 'say ready\nfork\ndeaf']) {
      const id = await hub.start(prompt, 'talker');
      const stream = await hub.subscribe(id);
      await expect.poll(() => stream.text(), PATIENCE).toContain('ready');
      await hub.ask('POST', `/v1/biam/tasks/${id}/cancel`);
      expect(await hub.over(id)).toMatchObject({ status: 'cancelled' });
      if (prompt.includes('wait'))
        expect((await hub.ask('GET', `/v1/biam/tasks/${id}`)).body.task.exit).toMatchObject({ code: 0 });
    }
  });

  it.each([
    ['fail -32000 please log in', { class: 'auth', text: 'please log in' }],
    ['fail -32603 overloaded 429', { class: 'rate_limit' }],
    ['die', { class: 'crash', text: 'the agent ended before it answered' }],
  ])('%s', async (prompt, error) => {
    const hub = await dispatchHub(engine, acp(), { dispatch: { parks: 0 } });
    expect(await hub.run(prompt, 'talker')).toMatchObject({ status: 'failed', error });
  });

  it('a restart voids what was asked, visibly, and the session is offered to go on with', async () => {
    const agents = acp();
    const hub = await dispatchHub(engine, agents);
    const id = await hub.start('say first\nask make', 'talker');
    const { id: approval } = await pending(hub);
    await hub.hub.close();
    const again = await openAt(hub.place, hub.home, agents);
    const lost = await again.over(id);
    expect(lost).toMatchObject({ status: 'expired', session_id: expect.stringMatching(/^session-/) });
    expect((await again.ask('GET', '/api/tools/approvals')).body.approvals).toEqual([]);
    expect((await resolve(again, approval, 'allow_once')).body.approval.status).toBe('expired');
    const resumed = await again.run('remember', 'talker', { opts: { session_id: lost.session_id } });
    expect(resumed).toMatchObject({ status: 'done', result: 'say first\nask make;' });
  });

  it('a spent budget pauses the run until a person allows more', async () => {
    const hub = await dispatchHub(engine, acp({ limits: { dollars: 0.1 } }));
    const id = await hub.start(
      'spend 0.3\nsleep 1500\nsay went on\nspend 0.35\nsleep 300\nspend 0.9\nwait',
      'talker',
    );
    const asked = await pending(hub);
    expect(asked).toMatchObject({
      toolName: 'AgentBudget',
      argsSummary: expect.stringContaining('$0.30 of a budget of $0.1'),
    });
    const stream = await hub.subscribe(id);
    await new Promise((done) => setTimeout(done, 1800));
    expect(stream.text()).not.toContain('went on');
    expect((await hub.ask('GET', `/v1/biam/tasks/${id}`)).body.task.reason).toBe('waiting_approval');
    await resolve(hub, asked.id, 'allow_once');
    await expect.poll(() => stream.text(), PATIENCE).toContain('went on');
    await resolve(hub, (await pending(hub)).id, 'deny');
    expect(await hub.over(id)).toMatchObject({
      status: 'failed',
      error: { class: 'limit', text: expect.stringContaining('$0.90') },
    });
  });
});

it('resumes a session without hearing it again, where the agent can', async () => {
  const file = recordedConversation();
  const hub = await dispatchHub('sqlite', acp({ env: { ACP_RESUMES: '1' } }, file));
  const { session_id } = await hub.run('say first', 'talker');
  const resumed = await hub.run('remember', 'talker', { opts: { session_id } });
  expect(resumed).toMatchObject({ status: 'done', result: 'say first;' });
  const methods = framesIn(file).map(({ msg }) => msg.method);
  expect(methods).toContain('session/resume');
  expect(methods).not.toContain('session/load');
});

it('the published schema tells a frame that is none', () => {
  const frames = (...said: readonly (readonly ['client' | 'agent', object])[]) =>
    problemsOf(said.map(([dir, msg]) => ({ dir, msg: { jsonrpc: '2.0', ...msg } })));
  const asked = ['client', { id: 1, method: 'session/new', params: { cwd: '/', mcpServers: [] } }] as const;
  expect(frames(asked, ['agent', { id: 1, result: { sessionId: 's' } }])).toEqual([]);
  expect(frames(asked, ['agent', { id: 1, result: {} }])).toEqual([
    expect.stringMatching(/no NewSessionResponse/),
  ]);
  expect(frames(['client', { id: 1, method: 'session/new', params: {} }])).toEqual([
    expect.stringMatching(/no NewSession/),
  ]);
  expect(frames(['agent', { id: 1, method: 'session/new', params: {} }])).toEqual([
    expect.stringMatching(/no request/),
  ]);
  expect(frames(['client', { method: 'session/stop', params: {} }])).toEqual([
    expect.stringMatching(/no notification/),
  ]);
  expect(frames(['client', { id: 9, result: {} }])).toEqual([expect.stringMatching(/nobody asked/)]);
});

/** The real conversations of the four, played back. */
it.each([
  ['claude', 'claude-agent-acp'],
  ['codex', 'codex-acp'],
  ['gemini', 'gemini'],
  ['opencode', 'opencode'],
])('%s: a recorded turn with a permission', { timeout: 60_000 }, async (family, program) => {
  const [bin, file] = [freshFolder(), recordedConversation()];
  for (const name of new Set([family, program])) {
    const transcript = join(folder, 'transcripts', `acp.${family}.permission-allow.jsonl`);
    writeFileSync(
      join(bin, name),
      `#!/bin/sh\nexec '${process.execPath}' '${join(folder, 'acp-replay.mjs')}' '${transcript}' '${file}'\n`,
    );
    chmodSync(join(bin, name), 0o755);
  }
  const hub = await dispatchHub('sqlite', {
    [family]: { family, env: { PATH: `${bin}:${process.env['PATH']}` } },
  });
  const id = await hub.start('write', family);
  const asked = await pending(hub);
  expect(asked.argsSummary).toMatch(/touch (written-by-shell|escalated)\.txt/);
  await resolve(hub, asked.id, 'allow_once');
  expect(await hub.over(id)).toMatchObject({
    status: 'done',
    lane: 'acp',
    result: 'AFTER0 AFTER1 AFTER2',
    usage: { output: expect.any(Number) },
  });
});
