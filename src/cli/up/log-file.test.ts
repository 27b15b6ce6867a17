import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../../../test/fixtures/databases.ts';
import { logPath, openLogFile } from './log-file.ts';

it('turns the log over before it grows too large, and keeps three older ones', () => {
  const path = logPath(freshFolder());
  const write = openLogFile(path, 30);
  for (let i = 0; i < 10; i += 1) write(`line ${i} of the log\n`);
  expect(readdirSync(join(path, '..')).toSorted()).toEqual([
    'hub.log',
    'hub.log.1',
    'hub.log.2',
    'hub.log.3',
  ]);
  expect([path, `${path}.3`].map((each) => readFileSync(each, 'utf8'))).toEqual([
    'line 9 of the log\n',
    'line 6 of the log\n',
  ]);
});

it('goes on when nothing can be written', () => {
  const file = join(freshFolder(), 'file');
  writeFileSync(file, '');
  expect(() => openLogFile(join(file, 'hub.log'))('a line\n')).not.toThrow();
});
