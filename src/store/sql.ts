import { HubError } from '../kernel/errors.ts';

/** A statement and its parameters. Placeholders are `$1 … $n` in order; the SQLite side turns them into `?`. */
export type Sql = Readonly<{ text: string; params: readonly Param[] }>;

export type Param = string | number | null | Uint8Array;

/** The texts of templates without fragments, which are most: composed once per place in the source. */
const composed = new WeakMap<TemplateStringsArray, string>();

/** `sql` composes: an interpolated `Sql` is spliced in, anything else becomes a parameter. */
export function sql(strings: TemplateStringsArray, ...values: readonly (Param | Sql)[]): Sql {
  if (!values.some(isSql)) return { text: plainText(strings), params: values as readonly Param[] };
  let text = strings[0]!;
  const params: Param[] = [];
  values.forEach((value, i) => {
    if (isSql(value)) {
      text += shift(value, params.length);
      params.push(...value.params);
    } else {
      params.push(value);
      text += `$${params.length}`;
    }
    text += strings[i + 1]!;
  });
  return { text, params };
}

function plainText(strings: TemplateStringsArray): string {
  let text = composed.get(strings);
  if (text === undefined) {
    text = strings.reduce((before, part, i) => `${before}$${i}${part}`);
    composed.set(strings, text);
  }
  return text;
}

/** A fragment with nothing in it, for optional clauses. */
sql.empty = { text: '', params: [] } as Sql;

/** `(a, b, c)` for `in`; an empty list matches nothing. */
sql.in = (values: readonly Param[]): Sql =>
  values.length === 0 ? { text: '(null)', params: [] } : sql.tuple(values);

/** `(a, b, c)` for `values` and for comparing rows. */
sql.tuple = (values: readonly Param[]): Sql => ({ text: placeholders(values.length), params: values });

sql.join = (parts: readonly Sql[], separator: string): Sql => {
  let text = '';
  const params: Param[] = [];
  parts.forEach((part, i) => {
    text += (i === 0 ? '' : separator) + shift(part, params.length);
    params.push(...part.params);
  });
  return { text, params };
};

/** Text from our own source, never from a caller: column lists, table names. */
sql.raw = (text: string): Sql => ({ text, params: [] });

/** The name of a table or a column as our own schema has it, or as it was found there. */
sql.quote = (name: string): Sql => sql.raw(`"${name.replaceAll('"', '""')}"`);

const tuples = new Map<number, string>();

function placeholders(count: number): string {
  let text = tuples.get(count);
  if (text === undefined) {
    text = `(${Array.from({ length: count }, (_, i) => `$${i + 1}`).join(', ')})`;
    tuples.set(count, text);
  }
  return text;
}

function isSql(value: Param | Sql): value is Sql {
  return typeof value === 'object' && value !== null && 'text' in value && 'params' in value;
}

/** Column lists and conditions without parameters, which are long, go in as they are. */
function shift({ text, params }: Sql, by: number): string {
  return by === 0 || params.length === 0
    ? text
    : text.replace(/\$(\d+)/g, (_, n: string) => `$${Number(n) + by}`);
}

/** PostgreSQL cannot store NUL in text, so neither engine takes it. */
export function refuseNul(params: readonly Param[]): void {
  for (const param of params) {
    if (typeof param === 'string' && param.includes('\0'))
      throw new HubError('invalid', 'Text must not contain the NUL character.');
  }
}
