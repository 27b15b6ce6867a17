import { redact } from '../../kernel/redact.ts';

const CONTEXT = 3;

/** The lines of one change with a little of what surrounds them. Settings of clients hold secrets of others: none is shown. */
export function renderDiff(name: string, before: string, after: string): string {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head && old.at(-1 - tail) === fresh.at(-1 - tail))
    tail += 1;
  const start = Math.max(0, head - CONTEXT);
  const mark = (sign: string) => (line: string) => `${sign}${redact(line)}`;
  return [
    `--- ${name}`,
    `+++ ${name}`,
    `@@ line ${start + 1} @@`,
    ...old.slice(start, head).map(mark(' ')),
    ...old.slice(head, old.length - tail).map(mark('-')),
    ...fresh.slice(head, fresh.length - tail).map(mark('+')),
    ...old.slice(old.length - tail, old.length - tail + CONTEXT).map(mark(' ')),
  ].join('\n');
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
