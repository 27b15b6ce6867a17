import { HubError } from '../../../kernel/errors.ts';
import { type Markup, parseXml } from '../markup.ts';
import { damaged, type DocumentText } from './document-text.ts';

const MOST_UNPACKED = 64 * 1024 * 1024;
const EMPTY = '<x/>';

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

export async function readDocx(bytes: Buffer, { name }: { name: string }): Promise<DocumentText> {
  const xml = (await unzip(bytes, name, /^word\/document\.xml$/)).get('word/document.xml');
  if (xml === undefined) throw damaged(name, 'docx');
  const paragraphs = Array.from((await parseXml(xml)).querySelectorAll('w\\:p'), (paragraph) =>
    Array.from(paragraph.querySelectorAll('w\\:t, w\\:tab, w\\:br'), textOfRun).join(''),
  );
  return { format: 'docx', engine: 'xml', text: paragraphs.join('\n') };
}

function textOfRun({ tagName, textContent }: Markup): string {
  if (tagName === 'w:t') return textContent ?? '';
  return tagName === 'w:tab' ? '\t' : '\n';
}

const SHEET_PARTS = /^xl\/(?:workbook\.xml|sharedStrings\.xml|worksheets\/sheet\d+\.xml|_rels\/workbook\.xml\.rels)$/;

export async function readXlsx(bytes: Buffer, { name, sheet }: { name: string; sheet: string | undefined }): Promise<DocumentText> {
  const parts = await unzip(bytes, name, SHEET_PARTS);
  const workbook = parts.get('xl/workbook.xml');
  if (workbook === undefined) throw damaged(name, 'xlsx');
  const sheets = await listSheets(workbook, parts.get('xl/_rels/workbook.xml.rels') ?? EMPTY);
  const chosen = sheet === undefined ? sheets[0] : sheets.find(({ title }) => title === sheet);
  if (!chosen)
    throw new HubError('not_found', `${name} has no sheet ${JSON.stringify(sheet)}.`, { sheets: sheets.map(({ title }) => title) });
  const xml = parts.get(`xl/${chosen.target.replace(/^\/?(?:xl\/)?/, '')}`);
  if (xml === undefined) throw damaged(name, 'xlsx');
  const shared = Array.from((await parseXml(parts.get('xl/sharedStrings.xml') ?? EMPTY)).querySelectorAll('si'), (item) =>
    Array.from(item.querySelectorAll('t'), (part) => part.textContent ?? '').join(''),
  );
  const rows = Array.from((await parseXml(xml)).querySelectorAll('row'), (row) => rowText(row, shared));
  return { format: 'xlsx', engine: 'xml', text: rows.join('\n'), sheets: sheets.map(({ title }) => title) };
}

async function listSheets(workbook: string, relations: string): Promise<{ title: string; target: string }[]> {
  const targets = new Map(
    Array.from((await parseXml(relations)).querySelectorAll('Relationship'), (each) => [
      each.getAttribute('Id'),
      each.getAttribute('Target'),
    ]),
  );
  return Array.from((await parseXml(workbook)).querySelectorAll('sheet'), (each) => ({
    title: each.getAttribute('name') ?? '',
    target: targets.get(each.getAttribute('r:id')) ?? '',
  }));
}

function rowText(row: Markup, shared: readonly string[]): string {
  const cells: string[] = [];
  for (const cell of row.querySelectorAll('c')) cells[columnOf(cell.getAttribute('r') ?? '')] = valueOf(cell, shared);
  return Array.from(cells, (value) => value ?? '').join('\t');
}

function valueOf(cell: Markup, shared: readonly string[]): string {
  const value = cell.querySelector('v')?.textContent ?? cell.querySelector('t')?.textContent ?? '';
  return cell.getAttribute('t') === 's' ? (shared[Number(value)] ?? '') : value;
}

/** `C7` is in the third column. */
function columnOf(reference: string): number {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0] ?? 'A';
  return letters.split('').reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
