// Reads documents for the file tools. Foreign bytes are parsed in a process of their own, never here.
import { fstatSync, readFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { extname } from 'node:path';
import { runApart } from '../../../kernel/apart.ts';
import { HubError } from '../../../kernel/errors.ts';
import { hashOf } from './atomic.ts';
import { damaged, type DocumentText } from './document-text.ts';
import { type Range, type ReadLines, takeLines } from './lines.ts';
import { readDocx, readXlsx } from './office.ts';

type Reader = (
  bytes: Buffer,
  options: Readonly<{ name: string; sheet: string | undefined }>,
) => Promise<DocumentText>;

const READERS: Readonly<Record<string, Reader>> = {
  '.pdf': readPdf,
  '.docx': readDocx,
  '.xlsx': readXlsx,
  '.html': readHtml,
  '.htm': readHtml,
  '.ipynb': readNotebook,
};

const readerOf = (name: string): Reader | undefined => READERS[extname(name).toLowerCase()];

/** False for files that are read as the text they are. */
export const isDocument = (name: string): boolean => readerOf(name) !== undefined;

type DocumentJob = Readonly<{ name: string; sheet: string | undefined; range: Range }>;

/** The wanted lines of a document, and what the whole of it is. */
type DocumentPage = Omit<DocumentText, 'text'> & ReadLines & Readonly<{ size: number }>;

/** The file goes over opened, as it was judged: neither its bytes nor its text pass through the hub. */
export function readDocument(handle: FileHandle, job: DocumentJob): Promise<DocumentPage> {
  return runApart<DocumentPage>({ kind: 'document', input: job, name: job.name, file: handle.fd });
}

/** In the process for one document, which finds it at its standard input. */
export async function readDocumentHere({ name, sheet, range }: DocumentJob): Promise<DocumentPage> {
  const { size } = fstatSync(0);
  if (size > MOST_BYTES)
    throw new HubError('too_large', `${name} has ${size} bytes; this tool takes at most ${MOST_BYTES}.`);
  const bytes = readFileSync(0);
  const { text, ...rest } = await readerOf(name)!(bytes, { name, sheet });
  if (text.length > MOST_TEXT)
    throw new HubError('too_large', `${name} has more than ${MOST_TEXT} characters of text.`, {
      denied: 'file:limits',
    });
  return { ...rest, ...takeLines(text, range), hash: hashOf(bytes), size };
}

const MOST_BYTES = 64 * 1024 * 1024;
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
