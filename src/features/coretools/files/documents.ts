import { extname } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import { damaged, type DocumentText } from './document-text.ts';
import { readDocx, readXlsx } from './office.ts';

type Reader = (bytes: Buffer, options: Readonly<{ name: string; sheet: string | undefined }>) => Promise<DocumentText>;

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

/** Undefined for files that are read as the text they are. */
export function documentReader(name: string): Reader | undefined {
  return READERS[extname(name).toLowerCase()];
}

async function readPdf(bytes: Buffer, { name }: { name: string }): Promise<DocumentText> {
  if (bytes.subarray(0, 1_024).indexOf('%PDF-') < 0) throw damaged(name, 'PDF');
  const { extractText, getDocumentProxy } = await import('unpdf');
  try {
    const document = await getDocumentProxy(new Uint8Array(bytes));
    const { text } = await extractText(document, { mergePages: false });
    return { format: 'pdf', engine: 'pdf.js', text: text.map((page, i) => `--- page ${i + 1} ---\n${page}`).join('\n') };
  } catch (error) {
    throw damaged(name, 'PDF', error);
  }
}

async function readCsv(bytes: Buffer, { name }: { name: string }): Promise<DocumentText> {
  if (bytes.subarray(0, 8_192).includes(0)) throw new HubError('invalid', `${name} is a binary file.`, { denied: 'file:binary' });
  return { format: extname(name).slice(1).toLowerCase(), engine: 'text', text: bytes.toString('utf8').replace(/^\ufeff/, '') };
}

async function readHtml(bytes: Buffer): Promise<DocumentText> {
  const { readableText } = await import('../web/readable.ts');
  const { title, text } = await readableText(bytes.toString('utf8'), 'file:///');
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
  const joined = (text: string | string[] | undefined) => (Array.isArray(text) ? text.join('') : (text ?? ''));
  const cells = (notebook.cells ?? []).map((cell, i) => {
    const outputs = (cell.outputs ?? []).map((output) => joined(output.text ?? output.data?.['text/plain'])).filter((text) => text !== '');
    return [`--- ${cell.cell_type ?? 'cell'} ${i + 1} ---`, joined(cell.source), ...outputs.map((text) => `[output]\n${text}`)].join('\n');
  });
  return { format: 'ipynb', engine: 'json', text: cells.join('\n') };
}
