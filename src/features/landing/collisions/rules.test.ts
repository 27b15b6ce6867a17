import { expect, it } from 'vitest';
import { rangesIn } from './rules.ts';

it('finds where two sides meet, whatever the lines and the names of files look like', () => {
  const marked = (path: string, ...more: string[]) => [
    `diff --git a/${path} b/${path}`,
    '--- a/x',
    `+++ b/${path}`,
    '@@ -2 +2,5 @@',
    '+<<<<<<< one',
    ' ',
    ...more,
    '@@ -4,0 +9,4 @@',
    '+=======',
    '+theirs',
    '+>>>>>>> two',
  ];
  const diff = [...marked('a b\t'), ...marked('odd\u2028name'), ...marked('c', '+++ b/d')].join('\n');
  expect([...rangesIn(diff)]).toEqual([
    ['a b', [[3, 4]]],
    ['odd\u2028name', [[3, 4]]],
    ['c', [[3, 4]]],
  ]);
});
