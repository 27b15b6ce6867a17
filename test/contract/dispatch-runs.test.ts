import { expect, it } from 'vitest';
import { eachEngine } from '../fixtures/databases.ts';
import { AGENT, dispatchHub, PATIENCE } from '../fixtures/dispatch-hub.ts';

eachEngine('runs', (engine) => {
  it('are done when a command exits 0, with what it said and how it ended', async () => {
    const hub = await dispatchHub(engine);
    const run = await hub.run('say hello\ncomplain careful\nsay world');
    expect(run).toMatchObject({
      status: 'done',
      instance: 'script',
      family: 'command',
      lane: 'exec',
      exit: { code: 0, signal: null },
    });
    expect(run).toMatchObject({ result: 'hello\nworld', last_message: 'world' });
    expect(run.initiated_by).toBe('operator:operator');
    expect(Date.parse(run.closed_at)).toBeGreaterThanOrEqual(Date.parse(run.created_at));
  });

  it('fail when it exits otherwise, with the end of stderr', async () => {
    const hub = await dispatchHub(engine);
    expect(await hub.run('complain no such thing\nexit 3')).toMatchObject({
      status: 'failed',
      exit: { code: 3 },
      error: { class: 'crash', text: 'it exited with code 3', stderr: 'no such thing' },
    });
  });

  it('take their prompt from stdin when the command has no place for it', async () => {
    const hub = await dispatchHub(engine);
    expect(await hub.run('say from stdin', 'reader')).toMatchObject({ status: 'done', result: 'from stdin' });
    const long = `say ${'é'.repeat(200_000)}`;
    expect((await hub.run(long, 'reader')).status).toBe('done');
    const { status, body } = await hub.ask('POST', '/v1/send_message', {
      instance: 'script',
      prompt: long,
      async: true,
    });
    expect([status, body.code]).toEqual([413, 'too_large']);
  });

  it('refuse bad input before anything is started', async () => {
    const hub = await dispatchHub(engine, {
      gone: { family: 'command', command: ['no-such-program-here'] },
      broke: { family: 'command', command: [process.execPath, '-v'], limits: { dollars: 0 } },
    });
    const send = (body: object) => hub.ask('POST', '/v1/send_message', body);
    expect(await send({ instance: 'nobody', prompt: 'x' })).toMatchObject({
      status: 404,
      body: { details: { known: expect.arrayContaining(['script']) } },
    });
    expect(await send({ instance: 'script', prompt: '  ' })).toMatchObject({ status: 400 });
    expect(await send({ instance: 'script' })).toMatchObject({ status: 400 });
    expect(await send({ prompt: 'which one?' })).toMatchObject({
      status: 400,
      body: { hint: expect.stringContaining('script') },
    });
    expect(await send({ instance: 'gone', prompt: 'x' })).toMatchObject({
      status: 503,
      body: { error: expect.stringContaining("not on the hub's PATH") },
    });
    expect(await send({ instance: 'broke', prompt: 'x' })).toMatchObject({ status: 429 });
    for (const opts of [{ extra_args: ['--yolo'] }, { unattended: true }, { mode: 'full' }])
      expect(await send({ instance: 'script', prompt: 'x', opts })).toMatchObject({ status: 403 });
    for (const opts of [{ cwd: '/' }, { cwd: '/etc' }])
      expect(await send({ instance: 'script', prompt: 'x', opts })).toMatchObject({ status: 403 });
    for (const opts of [
      { cwd: 'here' },
      { cwd: '/no/such/folder' },
      { model: '--help' },
      { session_id: '-x' },
    ])
      expect(await send({ instance: 'script', prompt: 'x', opts })).toMatchObject({ status: 400 });
    expect(await send({ instance: 'script', prompt: 'x'.repeat(10_000_000) })).toMatchObject({ status: 413 });
    expect((await hub.ask('GET', '/v1/biam/tasks')).body.count).toBe(0);
  });

  it('are streamed as lines of JSON, from the first state to the last', async () => {
    const hub = await dispatchHub(engine);
    const response = await hub.fetch('/v1/send_message', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${hub.token}` },
      body: JSON.stringify({ instance: 'script', prompt: 'say one\nsay two' }),
    });
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = (await response.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ id }) => id)).toEqual(lines.map((_, i) => i + 1));
    expect(lines.filter(({ event }) => event === 'frame').map(({ line }) => line)).toEqual(['one', 'two']);
    expect(lines[0]).toMatchObject({ event: 'task', status: 'pending' });
    expect(lines.at(-1)).toMatchObject({ event: 'terminal', status: 'done' });
  });

  it('are cancelled when the client of a stream hangs up', async () => {
    const hub = await dispatchHub(engine);
    const leaving = new AbortController();
    const response = await hub.fetch('/v1/send_message', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${hub.token}` },
      body: JSON.stringify({ instance: 'script', prompt: 'say ready\nforever' }),
      signal: leaving.signal,
    });
    let text = '';
    for await (const chunk of response.body!) {
      text += new TextDecoder().decode(chunk);
      if (text.includes('ready')) break;
    }
    leaving.abort();
    const { task_id: id } = JSON.parse(text.split('\n')[0]!);
    expect(await hub.over(id)).toMatchObject({ status: 'cancelled' });
  });

  it('are cancelled for good: what the process says afterwards changes nothing, and a second cancel neither', async () => {
    const hub = await dispatchHub(engine);
    const id = await hub.start('say ready\nforever');
    await expect
      .poll(async () => (await hub.ask('GET', `/v1/biam/tasks/${id}`)).body.task.reason, PATIENCE)
      .toBe('running');
    expect((await hub.ask('POST', `/v1/biam/tasks/${id}/cancel`)).body.reason).toBe('cancelling');
    const ended = await hub.over(id);
    expect(ended).toMatchObject({ status: 'cancelled' });
    expect((await hub.ask('POST', `/v1/biam/tasks/${id}/cancel`)).body).toMatchObject({
      status: 'cancelled',
      closed_at: ended.closed_at,
    });
    expect(await hub.ask('POST', '/v1/biam/tasks/nope/cancel')).toMatchObject({ status: 404 });
  });

  it('end at their limits: wall clock and silence', async () => {
    const command = [process.execPath, AGENT, '{prompt}'];
    const hub = await dispatchHub(engine, {
      slow: { family: 'command', command, limits: { minutes: 0.02 } },
      silent: { family: 'command', command, limits: { idle: 0.01 } },
    });
    const [slow, silent] = await Promise.all([
      hub.run('forever', 'slow'),
      hub.run('say x\nclose-stdout\nforever', 'silent'),
    ]);
    expect(slow).toMatchObject({
      status: 'failed',
      error: { class: 'limit', text: expect.stringContaining('0.02 minutes') },
    });
    expect(silent).toMatchObject({
      status: 'failed',
      error: { class: 'limit', text: expect.stringContaining('nothing for 0.01') },
    });
  });

  it('wait for their turn when an instance is busy', async () => {
    const command = [process.execPath, AGENT, '{prompt}'];
    const hub = await dispatchHub(engine, {
      single: { family: 'command', command, limits: { concurrent: 1, rate: 3 } },
    });
    const first = await hub.start('sleep 400', 'single');
    const second = await hub.start('say second', 'single');
    const third = await hub.start('say third', 'single');
    expect((await hub.ask('GET', `/v1/biam/tasks/${second}`)).body.task.status).toBe('pending');
    await hub.ask('POST', `/v1/biam/tasks/${third}/cancel`);
    expect(await hub.over(third)).toMatchObject({ status: 'cancelled' });
    const [one, two] = [await hub.over(first), await hub.over(second)];
    expect(Date.parse(two.started_at)).toBeGreaterThanOrEqual(Date.parse(one.closed_at) - 50);
    expect(
      await hub.ask('POST', '/v1/send_message', { instance: 'single', prompt: 'x', async: true }),
    ).toMatchObject({ status: 429 });
  });

  it('get a small environment, a token of their own that dies with them, and nothing of the hub', async () => {
    process.env['OUTSIDE_SECRET'] = 'do not leak';
    const hub = await dispatchHub(engine, {
      mine: { family: 'command', command: [process.execPath, '-e', PRINT_ENV], env: { OWN: 'yes' } },
    });
    const run = await hub.run('x', 'mine');
    const env = JSON.parse(run.result);
    expect(env).toMatchObject({ OWN: 'yes', HOLDFAST_RUN_ID: run.task_id, HOLDFAST_URL: hub.address });
    expect(Object.keys(env)).not.toContain('OUTSIDE_SECRET');
    expect(env.HOLDFAST_TOKEN).toBe('[the token of this run]');
    const token = env.BACKWARDS.split('').reverse().join('');
    expect(token).toMatch(/^hft_/);
    expect((await hub.ask('GET', '/v1/agents', undefined, token)).status).toBe(401);
    const stream = await hub.subscribe(run.task_id);
    await stream.ended;
    expect(stream.text()).toContain('BACKWARDS');
    expect(stream.text()).not.toContain(token);
  });

  it('list, filter and refuse what is unknown', async () => {
    const hub = await dispatchHub(engine);
    await hub.run('say x');
    await hub.run('exit 1');
    const listed = async (query: string) => (await hub.ask('GET', `/v1/biam/tasks${query}`)).body;
    expect((await listed('')).tasks.map(({ status }: any) => status)).toEqual(['failed', 'done']);
    expect((await listed('?status=done')).count).toBe(1);
    expect((await listed('?limit=1')).tasks[0].status).toBe('failed');
    expect((await hub.ask('GET', '/v1/biam/tasks?status=odd')).status).toBe(400);
    expect((await hub.ask('GET', '/v1/biam/tasks/nope')).status).toBe(404);
    expect((await hub.ask('GET', '/v1/biam/tasks/nope/wait')).status).toBe(404);
  });

  it('carry messages whose signatures hold', async () => {
    const hub = await dispatchHub(engine);
    const id = await hub.start('forever');
    expect(await hub.ask('POST', `/v1/biam/tasks/${id}/reply`, { body: 'go left' })).toMatchObject({
      status: 200,
    });
    await hub.ask('POST', `/v1/biam/tasks/${id}/cancel`);
    await hub.over(id);
    const { messages } = (await hub.ask('GET', `/v1/biam/tasks/${id}`)).body;
    expect(
      messages.map(({ envelope, verified }: any) => [envelope.kind, envelope.body.text, verified]),
    ).toEqual([
      ['prompt', 'forever', true],
      ['reply', 'go left', true],
      ['cancel', 'cancelled', true],
    ]);
    expect(await hub.ask('POST', `/v1/biam/tasks/${id}/reply`, { body: 'late' })).toMatchObject({
      status: 409,
    });
  });

  it('are made once under one idempotency key', async () => {
    const hub = await dispatchHub(engine);
    const body = { instance: 'script', prompt: 'say once', async: true, idempotencyKey: 'k' };
    const [one, two] = [
      await hub.ask('POST', '/v1/send_message', body),
      await hub.ask('POST', '/v1/send_message', body),
    ];
    expect(two.body.task_id).toBe(one.body.task_id);
    await hub.over(one.body.task_id);
    expect((await hub.ask('GET', '/v1/biam/tasks')).body.count).toBe(1);
  });
});

/** Prints the token backwards, too, so that what is stored can be compared with it. */
const PRINT_ENV =
  'const BACKWARDS = process.env.HOLDFAST_TOKEN.split("").reverse().join("");' +
  'process.stdout.write(JSON.stringify({ ...process.env, BACKWARDS }))';
