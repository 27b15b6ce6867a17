import { expect, it } from 'vitest';
import { sql } from './sql.ts';

it('turns values into numbered parameters', () => {
  expect(sql`select ${1}, ${'a'}, ${null}`).toEqual({ text: 'select $1, $2, $3', params: [1, 'a', null] });
  expect(sql`select 1`).toEqual({ text: 'select 1', params: [] });
});

it('splices fragments and renumbers their parameters', () => {
  const where = sql`where a = ${1} and b in ${sql.in(['x', 'y'])}`;
  expect(sql`select ${'c'} ${where} limit ${5}`).toEqual({
    text: 'select $1 where a = $2 and b in ($3, $4) limit $5',
    params: ['c', 1, 'x', 'y', 5],
  });
});

it('joins fragments', () => {
  expect(sql.join([sql`a = ${1}`, sql`b = ${2}`], ' and ')).toEqual({
    text: 'a = $1 and b = $2',
    params: [1, 2],
  });
});

it('lets an empty list match nothing', () => {
  expect(sql`x in ${sql.in([])}`.text).toBe('x in (null)');
});

it('keeps bytes as a parameter', () => {
  const bytes = new Uint8Array([1, 2]);
  expect(sql`select ${bytes}`.params).toEqual([bytes]);
});
