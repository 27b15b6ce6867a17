import { expect, it } from 'vitest';
import { piecesOf } from './pieces.ts';

it('cuts what git prints where git begins a line, and nowhere that a file only looks like it', () => {
  const first = 'diff --git a/a b/a\n+++ b/a\n+one\u2028diff --git a/x b/x\n+two\rdiff --git a/y b/y\n';
  const second = 'diff --git a/b b/b\n+++ b/b\n';
  expect(piecesOf(first + second, /diff --git /)).toEqual([first, second]);
  expect(piecesOf('', /diff --git /)).toEqual(['']);
});
