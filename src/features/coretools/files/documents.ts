// Reads documents for the file tools. Foreign bytes are parsed in a process of their own, never here.
import { extname } from 'node:path';
import { runApart } from '../../../kernel/apart.ts';
import { HubError } from '../../../kernel/errors.ts';
import { damaged, type DocumentText } from './document-text.ts';
import { readDocx, readXlsx } from './office.ts';

type Reader = (
  bytes: Buffer,
  options: Readonly<{ name: string; sheet: string | undefined }>,
) => Promise<DocumentText>;

const READERS: Readonly<Record<string, Reader>> = {
  '.pdf': readPdf,
  '.docx': readDocx,
  '.xlsx': readXlsx,
  '.csv': readCsv,
  '.tsv': readCsv,
  '.html': readHtml,
  '.htm': readHtml,
  '.ipynb': readNotebook,
};

/** Only those whose reading takes no more than looking at their bytes are read here. */
const HERE: ReadonlySet<string> = new Set(['.csv', '.tsv']);

/** Undefined for files that are read as the text they are. */
export function documentReader(name: string): Reader | undefined {
  const kind = extname(name).toLowerCase();
  const reader = READERS[kind];
  if (!reader || HERE.has(kind)) return reader;
  return (bytes, options) => runApart<DocumentText>({ kind: 'document', input: { bytes, ...options }, name });
}

/** In the process for one document. Its text goes back to the hub, which has other things to do than to hold a gigabyte. */
export async function readDocument({ bytes, name, sheet }: DocumentJob): Promise<DocumentText> {
  const read = await READERS[extname(name).toLowerCase()]!(Buffer.from(bytes), { name, sheet });
  if (read.text.length > MOST_TEXT)
    throw new HubError('too_large', `${name} has more than ${MOST_TEXT} characters of text.`, {
      denied: 'file:limits',
    });
  return read;
}

export type DocumentJob = Readonly<{ bytes: Uint8Array; name: string; sheet: string | undefined }>;

const MOST_TEXT = 16 * 1024 * 1024;
const MOST_PAGES = 5_000;

async function readPdf(bytes: Buffer, { name }: { name: string }): Promise<DocumentText> {
  if (bytes.subarray(0, 1_024).indexOf('%PDF-') < 0) throw damaged(name, 'PDF');
  const { extractText, getDocumentProxy } = await import('unpdf');
  try {
    const document = await getDocumentProxy(new Uint8Array(bytes));
    if (document.numPages > MOST_PAGES)
      throw new HubError('too_large', `${name} has more than ${MOST_PAGES} pages.`);
    const { text } = await extractText(document, { mergePages: false });
    return {
      format: 'pdf',
      engine: 'pdf.js',
      text: text.map((page, i) => `--- page ${i + 1} ---\n${page}`).join('\n'),
    };
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw damaged(name, 'PDF', error);
  }
}

async function readCsv(bytes: Buffer, { name }: { name: string }): Promise<DocumentText> {
  if (bytes.subarray(0, 8_192).includes(0))
    throw new HubError('invalid', `${name} is a binary file.`, { denied: 'file:binary' });
  return {
    format: extname(name).slice(1).toLowerCase(),
    engine: 'text',
    text: bytes.toString('utf8').replace(/^\ufeff/, ''),
  };
}

async function readHtml(bytes: Buffer): Promise<DocumentText> {
  const { extractReadable } = await import('../web/readable.ts');
  const { title, text } = await extractReadable({ html: bytes.toString('utf8'), url: 'file:///' });
  return { format: 'html', engine: 'readability', text: title === '' ? text : `${title}\n\n${text}` };
}

type Notebook = {
  cells?: {
    cell_type?: string;
    source?: string | string[];
    outputs?: { text?: string | string[]; data?: Record<string, string | string[]> }[];
  }[];
};

async function readNotebook(bytes: Buffer, { name }: { name: string }): Promise<DocumentText> {
  let notebook: Notebook;
  try {
    notebook = JSON.parse(bytes.toString('utf8')) as Notebook;
  } catch (error) {
    throw damaged(name, 'notebook', error);
  }
  const joined = (text: string | string[] | undefined) =>
    Array.isArray(text) ? text.join('') : (text ?? '');
  const cells = (notebook.cells ?? []).map((cell, i) => {
    const outputs = (cell.outputs ?? [])
      .map((output) => joined(output.text ?? output.data?.['text/plain']))
      .filter((text) => text !== '');
    return [
      `--- ${cell.cell_type ?? 'cell'} ${i + 1} ---`,
      joined(cell.source),
      ...outputs.map((text) => `[output]\n${text}`),
    ].join('\n');
  });
  return { format: 'ipynb', engine: 'json', text: cells.join('\n') };
}
