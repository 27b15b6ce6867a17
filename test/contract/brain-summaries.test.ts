import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createSummarise,
  isModelUnnamed,
  modelSettings,
} from '../../src/features/brain/compaction/summaries.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { freshBrain } from '../fixtures/brain-host.ts';
import { freshDatabase } from '../fixtures/databases.ts';

/** An endpoint of the OpenAI dialect on loopback. */
async function startModel(answer: string | undefined): Promise<Readonly<{ url: string; asked: string[] }>> {
  const asked: string[] = [];
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    asked.push(body);
    const choices = [{ index: 0, message: { role: 'assistant', content: answer }, finish_reason: 'stop' }];
    const said =
      answer === undefined
        ? { error: { message: 'no' } }
        : { id: 'x', object: 'chat.completion', created: 1, model: 'm', choices };
    res
      .writeHead(answer === undefined ? 400 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(said));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

const who = localPrincipal('t');

async function compactTwo(answer: string | undefined) {
  const { url, asked } = await startModel(answer);
  const summarise = createSummarise({ url, key: 'k', model: 'm' });
  const { brain, file } = freshBrain(await freshDatabase('sqlite'), { summarise, log: silentLog });
  for (const name of ['one', 'two'])
    await (
      await brain.open()
    ).store(who, {
      type: 'episode',
      category: '',
      name,
      content: `- fact of ${name}`,
      tags: ['auth'],
      pinned: false,
    });
  const { consolidated, details } = await (await brain.open()).compact();
  const [, merged] = /into '([^']+)'/.exec(details[0]!)!;
  return {
    brain,
    asked,
    consolidated,
    text: file.read(`episodes/${new Date().toISOString().slice(0, 7)}/${merged}.md`),
  };
}

describe('summaries of merged episodes', () => {
  it('stand above the sources, quoted, with secrets taken out', async () => {
    const { text, asked, brain } = await compactTwo(
      `Two things were fixed.\n# Not a heading\n- not a fact ghp_${'a1B2'.repeat(9)}`,
    );
    expect(text).toMatch(
      /^# auth, [\d-]+\n\n> Two things were fixed\.\n> # Not a heading\n> - not a fact \[REDACTED\]\n\n## one/m,
    );
    expect(text).toContain('- fact of two');
    expect(asked[0]).toContain('fact of one');
    expect((await (await brain.open()).compact()).details).toEqual([]);
    expect((await (await brain.open()).undo()).undone).toBe(1);
  });

  it('are left out when the model does not answer', async () => {
    const { text, consolidated } = await compactTwo(undefined);
    expect(consolidated).toBe(2);
    expect(text).not.toContain('>  ');
    expect(text).toMatch(/^# auth, [\d-]+\n\n## one/m);
  });

  it('need an endpoint, a key and a model that were given for this purpose', () => {
    expect(modelSettings({ OPENAI_API_KEY: 'x' })).toBeUndefined();
    const unnamed = { HOLDFAST_LLM_KEY: 'x', HOLDFAST_LLM_URL: 'http://y' };
    expect([modelSettings(unnamed), isModelUnnamed(unnamed)]).toEqual([undefined, true]);
    expect(isModelUnnamed({ HOLDFAST_LLM_KEY: 'x' })).toBe(false);
    expect(
      modelSettings({ HOLDFAST_LLM_KEY: 'x', HOLDFAST_LLM_URL: 'http://y', HOLDFAST_LLM_MODEL: 'z' }),
    ).toEqual({
      url: 'http://y',
      key: 'x',
      model: 'z',
    });
  });
});
