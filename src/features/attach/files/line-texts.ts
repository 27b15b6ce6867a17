import type { Put, SettingsText } from './settings-text.ts';

/** An entry that is lines of text: `{ text }`. */
type Lines = Readonly<{ text: string }>;

/** A file that is ours from its first byte to its last. */
export const wholeText: SettingsText = {
  has: (text, _path, entry) => text === linesOf(entry),
  read: (text) => (text === '' ? undefined : text),
  put: (_text, _path, entry) => ({ text: linesOf(entry), undo: {} }),
  remove: () => '',
  isEmpty: (text) => text === '',
};

/** Lines of ours in a file of somebody else, between two marks. */
export function blockText(begin: string, end: string): SettingsText {
  const spanOf = (text: string) => {
    const start = text.indexOf(begin);
    const stop = text.indexOf(end, start);
    return start < 0 || stop < 0 ? undefined : { start, stop: stop + end.length };
  };
  const blockOf = (entry: Readonly<Record<string, unknown>>) => `${begin}\n${linesOf(entry)}${end}`;
  return {
    has: (text, _path, entry) => text.includes(blockOf(entry)),

    read(text) {
      const span = spanOf(text);
      return span && text.slice(span.start, span.stop);
    },

    put(text, _path, entry): Put {
      const block = blockOf(entry);
      const span = spanOf(text);
      if (span) {
        const previous = text.slice(span.start, span.stop);
        return { text: text.slice(0, span.start) + block + text.slice(span.stop), undo: { previous } };
      }
      const lead = text === '' || text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n';
      return { text: `${text}${lead}${block}\n`, undo: { lead } };
    },

    remove(text, _path, undo = {}): string {
      const span = spanOf(text);
      if (!span) return text;
      const { previous, lead = '' } = undo;
      if (previous !== undefined) return text.slice(0, span.start) + previous + text.slice(span.stop);
      const before = text.slice(0, span.start);
      const start = before.endsWith(lead) ? before.slice(0, before.length - lead.length) : before;
      const behind = text.slice(span.stop);
      // What somebody wrote below the block needs the line end that the block had put before itself.
      const rest = behind.startsWith('\n') ? behind.slice(1) : behind;
      return rest === '' || start === '' || start.endsWith('\n') ? `${start}${rest}` : `${start}\n${rest}`;
    },

    isEmpty: (text) => text.trim() === '',
  };
}

/** The same at the top of a shell script, behind its first line: what follows may end it. A script of its own has that line alone. */
export function topBlockText(begin: string, end: string, first: string): SettingsText {
  const common = blockText(begin, end);
  return {
    ...common,
    put(text, path, entry): Put {
      if (common.read(text, path) !== undefined) return common.put(text, path, entry);
      const block = `${begin}\n${linesOf(entry)}${end}\n`;
      if (text === '') return { text: `${first}\n${block}`, undo: {} };
      const head = /^#!.*\n?/.exec(text)?.[0] ?? '';
      const lead = head === '' || head.endsWith('\n') ? '' : '\n';
      return { text: `${head}${lead}${block}${text.slice(head.length)}`, undo: { lead } };
    },
    remove(text, _path, undo = {}): string {
      const start = text.indexOf(begin);
      const stop = text.indexOf(end, start);
      if (start < 0 || stop < 0) return text;
      const rest = text.slice(stop + end.length).replace(/^\n/, '');
      return `${text.slice(0, start - (undo.lead ?? '').length)}${rest}`;
    },
    isEmpty: (text) => text.trim() === '' || text.trim() === first,
  };
}

function linesOf(entry: Readonly<Record<string, unknown>>): string {
  return (entry as Lines).text;
}
