import { expect, it } from 'vitest';
import { freshHome, startHub } from '../fixtures/hub-process.ts';

it('compacts the vault on schedule, again and again', { timeout: 60_000 }, async () => {
  const hub = await startHub(freshHome({ HOLDFAST_BRAIN_COMPACT: '1s' }));
  const response = await fetch(`${hub.address}/api/events?since=0&kinds=brain.compacted`);
  let said = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    said += decoder.decode(chunk as Uint8Array, { stream: true });
    if (said.split('"brain.compacted"').length > 2) break;
  }
  expect(said.split('"brain.compacted"').length - 1).toBeGreaterThanOrEqual(2);
});
