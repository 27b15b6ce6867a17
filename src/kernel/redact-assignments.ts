/** Secrets by the name they are given to: `db_password=…`, `secretAccessKey: "…"`. What only speaks of a secret stays. */
const ASSIGNMENT =
  /(pass(?:word|wd|phrase)|pwd|secret|token|(?:(?:api|access|account|secret|private|signing|encryption|master|auth)[_-]?)?key)(?<=([\w-]{1,64}))(\\{0,3}["'*]{0,2}\s{0,4}(?:=>|:=|={1,3}|:)\*{0,2}\s{0,4})("(?:[^"\\\n]|\\.){1,8192}"?|'(?:[^'\\\n]|\\.){1,8192}'?|\\{1,3}["'][^"'\\\n]{1,8192}(?:\\{1,3}["'])?|[^\s"',;{}[\]\\][^\s"',;}[\]]{3,})(?=( [A-Za-z])?)/gi;

const UPPER_NAME = /^[A-Z][A-Z0-9_]*$/;
const PAGE_TOKEN = /(?:page|next|continuation|sync)[_-]?token$/i;
const LOOSE_TOKEN = /(?<!access[_-]?|auth[_-]?)token$/i;
const WORD = /^[A-Z]?[a-z]+$/;
/** Values that say there is no secret, or what kind one would be. */
const NOTHING =
  /^(?:none|null|nil|true|false|empty|unset|undefined|unknown|missing|required|optional|unchanged|changed|rotated|expired|hidden|masked|removed|redacted|enabled|disabled|string|text|number|boolean|bytes|buffer|varchar)$/i;
/** A value that is fetched from elsewhere, a stand-in, or masked already. */
const REFERENCE =
  /^(?:\$\{[A-Za-z_][\w.]*\}?|\$[A-Z][A-Z0-9_]+|\$?\{\{.*|\$\(.*|%[A-Z_]+%|<[A-Za-z /|_-]*>?|[*•.xX]+|(?:your|YOUR)[_-][\w-]*|!(?:vault|secret|Ref)\b.*|(?:process|os|env|config|settings|self|this|secrets|import)\.[A-Za-z_][\w.]*|[A-Za-z_.]+\([^)]*\)|\/run\/secrets\/.*)$/;

export function redactAssignments(text: string, mark: string): string {
  return text.replace(ASSIGNMENT, (whole: string, keyword: string, name: string, sign: string, value: string, next: string | undefined) =>
    isSecret({ keyword, name, sign, value, isProse: next !== undefined }) ? `${keyword}${sign}${mark}` : whole,
  );
}

type Assignment = Readonly<{ keyword: string; name: string; sign: string; value: string; isProse: boolean }>;

function isSecret({ keyword, name, sign, value, isProse }: Assignment): boolean {
  const isQuoted = /^\\{0,3}["']/.test(value);
  const bare = isQuoted ? value.replace(/^\\{0,3}["']/, '').replace(/\\{0,3}["']$/, '') : value.replace(/[.!?)`]$/, '').replace(/^`/, '');
  if (NOTHING.test(bare) || (bare.length <= 200 && REFERENCE.test(bare))) return false;
  if (/^pwd$/i.test(keyword) && /^[~.]{0,2}\//.test(bare)) return false;
  if (UPPER_NAME.test(name)) return true;
  if (/^key$/i.test(keyword) || PAGE_TOKEN.test(name)) return false;
  const isWord = WORD.test(bare);
  if (isWord && isProse && !isQuoted && /:\s/.test(sign)) return false;
  if (LOOSE_TOKEN.test(name)) return bare.length >= 8 && !/^\d+$/.test(bare) && (!isWord || bare.length >= 16);
  return !/^(?:yes|no|on|off)$/i.test(bare);
}
