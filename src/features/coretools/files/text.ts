import { HubError } from '../../../kernel/errors.ts';

export type LineEnding = 'lf' | 'crlf' | 'cr' | 'mixed' | 'none';

const BOM = '\ufeff';

/** A text file in its parts: what must come back as it was, and what can be edited. */
export type TextFile = Readonly<{ hasBom: boolean; text: string; endings: LineEnding; dominant: string }>;

export function decodeText(bytes: Buffer, name: string): TextFile {
  if (bytes.includes(0))
    throw new HubError('invalid', `${name} is a binary file.`, { denied: 'file:binary' });
  let decoded: string;
  try {
    decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new HubError('invalid', `${name} is not UTF-8 text.`, { denied: 'file:encoding' }).because(error);
  }
  const hasBom = decoded.startsWith(BOM);
  const text = hasBom ? decoded.slice(1) : decoded;
  return { hasBom, text, ...endingsOf(text) };
}

export function encodeText(text: string, hasBom: boolean): Buffer {
  return Buffer.from((hasBom ? BOM : '') + text, 'utf8');
}

export function endingsOf(text: string): { endings: LineEnding; dominant: string } {
  const crlf = text.match(/\r\n/g)?.length ?? 0;
  const lf = (text.match(/\n/g)?.length ?? 0) - crlf;
  const cr = (text.match(/\r/g)?.length ?? 0) - crlf;
  const kinds = [crlf, lf, cr].filter((count) => count > 0).length;
  const dominant = crlf > lf && crlf >= cr ? '\r\n' : cr > lf ? '\r' : '\n';
  if (kinds === 0) return { endings: 'none', dominant: '\n' };
  return { endings: kinds > 1 ? 'mixed' : crlf > 0 ? 'crlf' : lf > 0 ? 'lf' : 'cr', dominant };
}

export function withEndings(text: string, ending: string): string {
  const plain = text.replace(/\r\n|\r/g, '\n');
  return ending === '\n' ? plain : plain.replaceAll('\n', ending);
}
