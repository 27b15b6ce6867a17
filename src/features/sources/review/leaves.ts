import { isObject } from '../../../kernel/loose-json.ts';

/** Every value of a definition as a line of text, each under the way that leads to it: what is scanned and compared. */
export type Leaf = Readonly<{ path: string; text: string }>;

/** Texts stand as they are, other values as JSON; a list of plain values is one leaf. */
export function leavesOf(value: unknown, path = ''): readonly Leaf[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (isNested(value)) return value.flatMap((item, at) => leavesOf(item, `${path}[${at}]`));
  if (!isObject(value) || Object.keys(value).length === 0) return [{ path, text: JSON.stringify(value) }];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, step(path, key)));
}

function isNested(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.some((item) => item !== null && typeof item === 'object');
}

function step(path: string, key: string): string {
  if (!/^[\w$-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
