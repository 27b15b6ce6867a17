import { HubError } from '../../../kernel/errors.ts';

/** XML as what happens in it, in one pass: no tree, no entities of its own, nothing fetched. */
export type XmlEvent =
  | Readonly<{ kind: 'open'; name: string; attributes: string; isEmpty: boolean }>
  | Readonly<{ kind: 'close'; name: string }>
  | Readonly<{ kind: 'text'; text: string }>;

const MOST_ELEMENTS = 2_000_000;
const MOST_DEPTH = 256;

/** Throws `too_large` beyond bounds that no office document comes near. */
export function* xmlEvents(xml: string): Generator<XmlEvent> {
  let [elements, depth, at] = [0, 0, 0];
  while (at < xml.length) {
    const start = xml.indexOf('<', at);
    if (start < 0) return;
    if (start > at) yield { kind: 'text', text: decode(xml.slice(at, start)) };
    const skipped = skip(xml, start);
    if (skipped !== undefined) {
      if (skipped.text !== undefined) yield { kind: 'text', text: skipped.text };
      at = skipped.end;
      continue;
    }
    const end = endOfTag(xml, start);
    if (end < 0) return;
    const tag = xml.slice(start + 1, end);
    at = end + 1;
    if (tag.startsWith('/')) {
      depth -= 1;
      yield { kind: 'close', name: tag.slice(1).trim() };
      continue;
    }
    if ((elements += 1) > MOST_ELEMENTS) throw tooMuch(`more than ${MOST_ELEMENTS} elements`);
    const isEmpty = tag.endsWith('/');
    if (!isEmpty && (depth += 1) > MOST_DEPTH) throw tooMuch(`elements nested more than ${MOST_DEPTH} deep`);
    const name = /^[^\s/]{1,200}/.exec(tag)?.[0] ?? '';
    yield { kind: 'open', name, attributes: tag.slice(name.length), isEmpty };
    if (isEmpty) yield { kind: 'close', name };
  }
}

/** Comments, instructions, declarations, and the text of a CDATA section. */
function skip(xml: string, start: number): Readonly<{ end: number; text?: string }> | undefined {
  if (xml.startsWith('<!--', start)) return { end: after(xml, '-->', start) };
  if (xml.startsWith('<![CDATA[', start)) {
    const end = after(xml, ']]>', start);
    return { end, text: xml.slice(start + 9, Math.max(start + 9, end - 3)) };
  }
  if (xml.startsWith('<?', start)) return { end: after(xml, '?>', start) };
  if (!xml.startsWith('<!', start)) return undefined;
  // A document type may declare entities in brackets; none are made, and no office document has one.
  const bracket = xml.indexOf('[', start);
  const close = after(xml, '>', start);
  return { end: bracket >= 0 && bracket < close ? after(xml, ']>', start) : close };
}

function after(xml: string, mark: string, from: number): number {
  const at = xml.indexOf(mark, from);
  return at < 0 ? xml.length : at + mark.length;
}

/** A `>` inside a quoted value ends nothing. */
function endOfTag(xml: string, start: number): number {
  let quote = '';
  for (let i = start + 1; i < xml.length; i += 1) {
    const char = xml[i]!;
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '>') return i;
  }
  return -1;
}

export function attribute(attributes: string, name: string): string | undefined {
  for (const [, key, double, single] of attributes.matchAll(
    /([^\s=/]{1,200})\s{0,10}=\s{0,10}(?:"([^"]*)"|'([^']*)')/g,
  ))
    if (key === name) return decode(double ?? single ?? '');
  return undefined;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decode(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi,
    (whole, ...[hex, decimal, name]: readonly (string | undefined)[]) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff && code > 0 ? String.fromCodePoint(code) : whole;
    },
  );
}

function tooMuch(what: string): HubError {
  return new HubError('too_large', `The document has ${what}.`, { denied: 'file:limits' });
}
