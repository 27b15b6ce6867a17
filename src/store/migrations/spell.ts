// One spelling of the schema for two engines. Types are `int`, `real`, `text`, `exact` (text that is compared byte by byte:
// ids, names, whatever is sorted or unique) and `bytes`; `rowless` ends a table that is kept by its primary key. What only
// one engine has stands behind `@sqlite` or `@postgres`, on a line of its own.
type Spelling = 'sqlite' | 'postgres';

const TYPES: Readonly<Record<Spelling, Readonly<Record<string, string>>>> = {
  sqlite: { int: 'integer', real: 'real', text: 'text', exact: 'text', bytes: 'blob' },
  postgres: {
    int: 'bigint',
    real: 'double precision',
    text: 'text',
    exact: 'text collate "C"',
    bytes: 'bytea',
  },
};

const ENDINGS: Readonly<Record<Spelling, Readonly<Record<string, string>>>> = {
  sqlite: { ');': ') strict;', ') rowless;': ') strict, without rowid;' },
  postgres: { ');': ');', ') rowless;': ');' },
};

export function spell(schema: string, engine: Spelling): string {
  return schema
    .split('\n')
    .flatMap((line) => spellLine(line, engine))
    .join('\n');
}

/** Steps of one engine alone, in its own spelling. */
export function only(engine: Spelling, steps: string): string {
  return steps
    .split('\n')
    .map((line) => `@${engine} ${line}`)
    .join('\n');
}

function spellLine(line: string, engine: Spelling): readonly string[] {
  const own = /^\s*@(sqlite|postgres) (.*)$/.exec(line);
  if (own) return own[1] === engine ? [own[2]!] : [];
  const ending = ENDINGS[engine][line];
  if (ending !== undefined) return [ending];
  return [
    line.replace(
      /^(\s+\w+|alter table \w+ add column \w+) (int|real|text|exact|bytes)\b/,
      (_, before: string, type: string) => `${before} ${TYPES[engine][type]!}`,
    ),
  ];
}
