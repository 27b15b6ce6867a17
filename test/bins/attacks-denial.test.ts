// What one agent with a token can take from all others, tried from outside on a real hub in a real process.
import { get, type IncomingMessage } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { openVictim } from '../fixtures/victim.ts';

it('one credential does not take the event streams of everybody, and gets its places back', async () => {
  const { address, agent, token } = await openVictim();
  const open = async (bearer: string) => {
    const headers = { authorization: `Bearer ${bearer}` };
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      get(`${address}/api/events`, { headers, agent: false }, resolve).once('error', reject),
    );
    response.on('error', () => undefined).resume();
    onTestFinished(() => void response.destroy());
    return response;
  };
  const ada = await agent('ada');
  const streams: IncomingMessage[] = [];
  for (let i = 0; i < 256; i += 1) streams.push(await open(ada));
  expect(streams.every(({ statusCode }) => statusCode === 200)).toBe(true);
  expect((await open(ada)).statusCode).toBe(429);
  expect((await open(await agent('bob'))).statusCode).toBe(200);
  expect((await open(token)).statusCode).toBe(200);
  streams[0]!.destroy();
  await expect.poll(async () => (await open(ada)).statusCode).toBe(200);
});

it('a command made to be slow to judge holds nobody up', async () => {
  const rules = Array.from(
    { length: 40 },
    (_, i) => `  - { tool: Bash, args: { command: "rm *x${i}*" }, decide: deny }`,
  );
  const { address, call } = await openVictim({ policy: ['version: 1', 'rules:', ...rules, ''].join('\n') });
  const lines = [`env ${'rm '.repeat(33_000)}`, `sh ${'a '.repeat(49_000)}`, 'rm;'.repeat(33_000)];
  const judged = lines.map((command) => call('Bash', { command }).catch(() => ''));
  const began = performance.now();
  await fetch(`${address}/api/health`);
  expect(performance.now() - began).toBeLessThan(3_000);
  expect((await Promise.all(judged.slice(0, 1)))[0]).toContain('policy:rule 1');
});
