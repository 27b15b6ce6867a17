// Text of Word and Excel files. What a zipped document unpacks to is bounded before it is read.
import { HubError } from '../../../kernel/errors.ts';
import { attribute, xmlEvents } from './xml-events.ts';
import { damaged, type DocumentText } from './document-text.ts';

const MOST_UNPACKED = 64 * 1024 * 1024;
/** As wide as a sheet can be. */
const MOST_COLUMNS = 16_384;
/** Empty ones count: they are written out as well. */
const MOST_CELLS = 2_000_000;

/** The wanted parts of a zipped document. What they unpack to is bounded: a small file can hold a very large one. */
async function unzip(bytes: Buffer, name: string, wanted: RegExp): Promise<Map<string, string>> {
  const { unzipSync, strFromU8 } = await import('fflate');
  let size = 0;
  try {
    const files = unzipSync(new Uint8Array(bytes), {
      filter: ({ name: part, originalSize }) => {
        if (!wanted.test(part)) return false;
        size += Math.max(originalSize, 0);
        if (size > MOST_UNPACKED)
          throw new HubError('too_large', `${name} unpacks to more than ${MOST_UNPACKED} bytes.`);
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
  return { format: 'docx', engine: 'xml', text: paragraphsOf(xml).join('\n') };
}

/** A paragraph inside another one (a text box) is a line of its own, told where it ends. */
function paragraphsOf(xml: string): string[] {
  const paragraphs: string[] = [];
  const open: string[][] = [];
  let isText = false;
  for (const event of xmlEvents(xml)) {
    if (event.kind === 'text') {
      if (isText) open.at(-1)?.push(event.text);
    } else if (event.kind === 'close') {
      if (event.name === 'w:t') isText = false;
      if (event.name === 'w:p') paragraphs.push((open.pop() ?? []).join(''));
    } else if (event.name === 'w:p') open.push([]);
    else if (event.name === 'w:t') isText = !event.isEmpty;
    else if (event.name === 'w:tab') open.at(-1)?.push('\t');
    else if (event.name === 'w:br') open.at(-1)?.push('\n');
  }
  return paragraphs;
}

const SHEET_PARTS =
  /^xl\/(?:workbook\.xml|sharedStrings\.xml|worksheets\/sheet\d+\.xml|_rels\/workbook\.xml\.rels)$/;

export async function readXlsx(
  bytes: Buffer,
  { name, sheet }: { name: string; sheet: string | undefined },
): Promise<DocumentText> {
  const parts = await unzip(bytes, name, SHEET_PARTS);
  const workbook = parts.get('xl/workbook.xml');
  if (workbook === undefined) throw damaged(name, 'xlsx');
  const sheets = listSheets(workbook, parts.get('xl/_rels/workbook.xml.rels') ?? '');
  const chosen = sheet === undefined ? sheets[0] : sheets.find(({ title }) => title === sheet);
  if (!chosen)
    throw new HubError('not_found', `${name} has no sheet ${JSON.stringify(sheet)}.`, {
      sheets: sheets.slice(0, 100).map(({ title }) => title),
    });
  const xml = parts.get(`xl/${chosen.target.replace(/^\/?(?:xl\/)?/, '')}`);
  if (xml === undefined) throw damaged(name, 'xlsx');
  const rows = rowsOf(xml, sharedStrings(parts.get('xl/sharedStrings.xml') ?? ''), name);
  return { format: 'xlsx', engine: 'xml', text: rows.join('\n'), sheets: sheets.map(({ title }) => title) };
}

function listSheets(workbook: string, relations: string): { title: string; target: string }[] {
  const targets = new Map<string, string>();
  for (const event of xmlEvents(relations)) {
    if (event.kind === 'open' && event.name === 'Relationship')
      targets.set(attribute(event.attributes, 'Id') ?? '', attribute(event.attributes, 'Target') ?? '');
  }
  const sheets: { title: string; target: string }[] = [];
  for (const event of xmlEvents(workbook)) {
    if (event.kind !== 'open' || event.name !== 'sheet') continue;
    const target = targets.get(attribute(event.attributes, 'r:id') ?? '') ?? '';
    sheets.push({ title: attribute(event.attributes, 'name') ?? '', target });
  }
  return sheets;
}

function sharedStrings(xml: string): string[] {
  const strings: string[] = [];
  let parts: string[] = [];
  let isText = false;
  for (const event of xmlEvents(xml)) {
    if (event.kind === 'open' && event.name === 'si') parts = [];
    else if (event.kind === 'open' && event.name === 't') isText = !event.isEmpty;
    else if (event.kind === 'close' && event.name === 't') isText = false;
    else if (event.kind === 'close' && event.name === 'si') strings.push(parts.join(''));
    else if (event.kind === 'text' && isText) parts.push(event.text);
  }
  return strings;
}

type Cell = { column: number; isShared: boolean; value: string; text: string };

function rowsOf(xml: string, shared: readonly string[], name: string): string[] {
  const rows: string[] = [];
  let cells: string[] = [];
  let cell: Cell | undefined;
  let part: 'value' | 'text' | undefined;
  let written = 0;
  for (const event of xmlEvents(xml)) {
    if (event.kind === 'text') {
      if (cell && part) cell[part] += event.text;
    } else if (event.kind === 'open') {
      if (event.name === 'row') cells = [];
      else if (event.name === 'c') cell = newCell(event.attributes, cells.length);
      else part = event.isEmpty ? undefined : PARTS[event.name];
    } else if (event.name === 'c' && cell) {
      if (cell.column >= MOST_COLUMNS) throw tooWide(name);
      while (cells.length < cell.column) cells.push('');
      cells[cell.column] = cell.isShared ? (shared[Number(cell.value)] ?? '') : cell.value || cell.text;
      cell = undefined;
    } else if (event.name === 'row') {
      if ((written += cells.length) > MOST_CELLS) throw tooWide(name);
      rows.push(cells.join('\t'));
    } else part = undefined;
  }
  return rows;
}

const PARTS: Readonly<Record<string, 'value' | 'text'>> = { v: 'value', t: 'text' };

function newCell(attributes: string, next: number): Cell {
  const reference = attribute(attributes, 'r');
  return {
    column: reference === undefined ? next : columnOf(reference),
    isShared: attribute(attributes, 't') === 's',
    value: '',
    text: '',
  };
}

/** `C7` is in the third column. */
function columnOf(reference: string): number {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0] ?? 'A';
  return letters.split('').reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function tooWide(name: string): HubError {
  return new HubError('too_large', `${name} has more than ${MOST_COLUMNS} columns or ${MOST_CELLS} cells.`, {
    denied: 'file:limits',
  });
}
