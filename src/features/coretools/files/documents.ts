import { extname } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import { readableText } from '../web/readable.ts';

export type DocumentText = Readonly<{ format: string; engine: string; text: string; sheets?: readonly string[] }>;

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

const MOST_UNPACKED = 64 * 1024 * 1024;

/** The wanted parts of a zipped document. What they unpack to is bounded: a small file can hold a very large one. */
async function unzip(bytes: Buffer, name: string, wanted: RegExp): Promise<Map<string, string>> {
  const { unzipSync, strFromU8 } = await import('fflate');
  let size = 0;
  try {
    const files = unzipSync(new Uint8Array(bytes), {
      filter: ({ name: part, originalSize }) => {
        if (!wanted.test(part)) return false;
        size += originalSize;
        if (size > MOST_UNPACKED) throw new HubError('too_large', `${name} unpacks to more than ${MOST_UNPACKED} bytes.`);
        return true;
      },
    });
    return new Map(Object.entries(files).map(([part, data]) => [part, strFromU8(data)]));
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw damaged(name, 'zipped document', error);
  }
}

async function parseXml(text: string) {
  const { DOMParser } = await import('linkedom');
  return new DOMParser().parseFromString(text, 'text/xml');
}

async function readDocx(bytes: Buffer, { name }: { name: string }): Promise<DocumentText> {
  const parts = await unzip(bytes, name, /^word\/document\.xml$/);
  const xml = parts.get('word/document.xml');
  if (xml === undefined) throw damaged(name, 'docx');
  const document = await parseXml(xml);
  const paragraphs = [...document.querySelectorAll('w\\:p')].map((paragraph) =>
    [...paragraph.querySelectorAll('w\\:t, w\\:tab, w\\:br')]
      .map((run) => (run.tagName === 'w:t' ? run.textContent : run.tagName === 'w:tab' ? '\t' : '\n'))
      .join(''),
  );
  return { format: 'docx', engine: 'xml', text: paragraphs.join('\n') };
}

async function readXlsx(bytes: Buffer, { name, sheet }: { name: string; sheet: string | undefined }): Promise<DocumentText> {
  const parts = await unzip(bytes, name, /^xl\/(?:workbook\.xml|sharedStrings\.xml|worksheets\/sheet\d+\.xml|_rels\/workbook\.xml\.rels)$/);
  const workbook = parts.get('xl/workbook.xml');
  if (workbook === undefined) throw damaged(name, 'xlsx');
  const relations = new Map(
    [...(await parseXml(parts.get('xl/_rels/workbook.xml.rels') ?? '<x/>')).querySelectorAll('Relationship')].map((each) => [
      each.getAttribute('Id'),
      each.getAttribute('Target'),
    ]),
  );
  const sheets = [...(await parseXml(workbook)).querySelectorAll('sheet')].map((each) => ({
    title: each.getAttribute('name') ?? '',
    target: relations.get(each.getAttribute('r:id')) ?? '',
  }));
  const chosen = sheet === undefined ? sheets[0] : sheets.find(({ title }) => title === sheet);
  if (!chosen)
    throw new HubError('not_found', `${name} has no sheet ${JSON.stringify(sheet)}.`, { sheets: sheets.map(({ title }) => title) });
  const shared = [...(await parseXml(parts.get('xl/sharedStrings.xml') ?? '<x/>')).querySelectorAll('si')].map((item) =>
    [...item.querySelectorAll('t')].map((t) => t.textContent).join(''),
  );
  const xml = parts.get(`xl/${chosen.target.replace(/^\/?(?:xl\/)?/, '')}`);
  if (xml === undefined) throw damaged(name, 'xlsx');
  const rows = [...(await parseXml(xml)).querySelectorAll('row')].map((row) => {
    const cells: string[] = [];
    for (const cell of row.querySelectorAll('c')) cells[columnOf(cell.getAttribute('r') ?? '')] = valueOf(cell, shared);
    return Array.from(cells, (value) => value ?? '').join('\t');
  });
  return { format: 'xlsx', engine: 'xml', text: rows.join('\n'), sheets: sheets.map(({ title }) => title) };
}

type Cell = { getAttribute(name: string): string | null; querySelector(selector: string): { textContent: string | null } | null };

function valueOf(cell: Cell, shared: readonly string[]): string {
  const value = cell.querySelector('v')?.textContent ?? cell.querySelector('t')?.textContent ?? '';
  return cell.getAttribute('t') === 's' ? (shared[Number(value)] ?? '') : value;
}

/** `C7` is in the third column. */
function columnOf(reference: string): number {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0] ?? 'A';
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

async function readCsv(bytes: Buffer, { name }: { name: string }): Promise<DocumentText> {
  if (bytes.subarray(0, 8_192).includes(0)) throw new HubError('invalid', `${name} is a binary file.`, { denied: 'file:binary' });
  return { format: extname(name).slice(1).toLowerCase(), engine: 'text', text: bytes.toString('utf8').replace(/^\ufeff/, '') };
}

async function readHtml(bytes: Buffer): Promise<DocumentText> {
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

function damaged(name: string, kind: string, cause?: unknown): HubError {
  return new HubError('invalid', `${name} is not a readable ${kind}.`, { denied: 'file:damaged' }, cause);
}
