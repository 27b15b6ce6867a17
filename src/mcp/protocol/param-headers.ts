import { isObject } from '../../kernel/loose-json.ts';
import type { Params } from './jsonrpc.ts';
import { decodeHeaderValue, mismatch } from './headers.ts';

/** An argument that clients mirror in a header `Mcp-Param-<name>`, so that proxies can route by it. */
export type ParamHeader = Readonly<{ path: readonly string[]; header: string; isNumber: boolean }>;

const MARK = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Marks count only on plain properties with a simple type; anything else is left to the client to complain about. */
export function paramHeadersOf(schema: Params, path: readonly string[] = []): readonly ParamHeader[] {
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  return properties.flatMap(([name, property]) => {
    if (!isObject(property)) return [];
    const here = [...path, name];
    const { [MARK]: header, type } = property;
    const isSimple = type === 'string' || type === 'integer' || type === 'boolean';
    const own =
      typeof header === 'string' && TOKEN.test(header) && isSimple
        ? [{ path: here, header, isNumber: type === 'integer' }]
        : [];
    return [...own, ...paramHeadersOf(property, here)];
  });
}

/** Every marked argument that the body carries has its header, and both say the same. */
export function checkParamHeaders(
  declared: readonly ParamHeader[],
  args: unknown,
  read: (header: string) => string | undefined,
): void {
  for (const { path, header, isNumber } of declared) {
    const value = path.reduce<unknown>(
      (here, key) => (isObject(here) && Object.hasOwn(here, key) ? here[key] : undefined),
      args,
    );
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    const name = `Mcp-Param-${header}`;
    const given = read(name.toLowerCase());
    if (given === undefined) throw mismatch(name, `is missing; the body carries ${path.join('.')}`);
    const decoded = decodeHeaderValue(given);
    if (decoded === undefined) throw mismatch(name, 'is not valid base64 of UTF-8 text');
    const isSame =
      isNumber && typeof value === 'number' && /^-?\d+(\.\d+)?$/.test(decoded)
        ? Number(decoded) === value
        : decoded === String(value);
    if (!isSame) throw mismatch(name, `does not say what ${path.join('.')} says`);
  }
}
