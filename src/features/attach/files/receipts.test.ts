import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../../../../test/fixtures/databases.ts';
import { keepCopy } from './receipts.ts';

it('copies that are made in the same millisecond are kept beside each other', () => {
  const home = freshFolder();
  const keeper = { home, name: 'cursor.tasks', file: join(home, 'mcp.json') };
  const now = new Date();
  const paths = ['theirs', 'ours', 'ours again'].map((text) => keepCopy(text, keeper, now));
  expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['theirs', 'ours', 'ours again']);
});
