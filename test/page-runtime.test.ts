import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

it('the page carries at most 3 KB of the typed client, and none of the schemas behind it', async () => {
  const graph = await rolldown({ input: join(root, 'web', 'src', 'api', 'call.ts'), platform: 'browser' });
  const { output } = await graph.generate({ format: 'esm', minify: true });
  await graph.close();
  expect(output).toHaveLength(1);
  const [{ code, modules }] = output;
  const ours = Object.keys(modules).map((path) => path.slice(root.length + 1));
  expect(ours.filter((path) => !/^(?:web\/src\/api|src\/operation|src\/kernel)\//.test(path))).toEqual([]);
  expect(ours).toContain('src/operation/client.ts');
  expect(Buffer.byteLength(code)).toBeLessThanOrEqual(3 * 1024);
});
