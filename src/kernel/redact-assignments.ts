/** Secrets by the name they are given to: `db_password=…`, `secretAccessKey: "…"`. What only speaks of a secret stays. */
const ASSIGNMENT =
  /(pass(?:word|wd|phrase|code)|pwd|secret|token|credentials?|(?<=[_-])(?:pat|pw|auth|jwt|sas|dsn)|(?:(?:api|access|account|secret|private|signing|encryption|master|auth)[_-]?)?key)(?<=([\w-]{1,64}))(\\{0,3}["'*]{0,2}\s{0,4}(?:=>|:=|={1,3}|:)\*{0,2}\s{0,4})("(?:[^"\\\n]|\\.){1,8192}"?|'(?:[^'\\\n]|\\.){1,8192}'?|\\{1,3}["'][^"'\\\n]{1,8192}(?:\\{1,3}["'])?|[^\s"',;{}[\]\\][^\s"',;}[\]]{3,})(?=( [A-Za-z])?)/gi;

const UPPER_NAME = /^[A-Z][A-Z0-9_]*$/;
const PAGE_TOKEN = /(?:page|next|continuation|sync)[_-]?token$/i;
const LOOSE_TOKEN = /(?<!access[_-]?|auth[_-]?)token$/i;
/** Names that often stand beside something harmless; what they are given decides. */
const LOOSE_NAME = /^(?:credentials?|auth|sas|dsn)$/i;
const WORD = /^[A-Z]?[a-z]+$/;
/** Values that say there is no secret, or what kind one would be. */
const NOTHING =
  /^(?:none|null|nil|true|false|empty|unset|undefined|unknown|missing|required|optional|unchanged|changed|rotated|expired|hidden|masked|removed|redacted|enabled|disabled|string|text|number|boolean|bytes|buffer|varchar)$/i;
/** A value that is fetched from elsewhere, a stand-in, or masked already. */
const REFERENCE =
  /^(?:\$\{[A-Za-z_][\w.]*\}?|\$[A-Z][A-Z0-9_]+|\$?\{\{.*|\$\(.*|%[A-Z_]+%|<[A-Za-z /|_-]*>?|[*•.xX]+|(?:your|YOUR)[_-][\w-]*|!(?:vault|secret|Ref)\b.*|(?:process|os|env|config|settings|self|this|secrets|import)\.[A-Za-z_][\w.]*|[A-Za-z_.]+\([^)]*\)|\/run\/secrets\/.*)$/;

export function redactAssignments(text: string, mark: string): string {
  return text.replace(ASSIGNMENT, (whole: string, ...groups: (string | undefined)[]) => {
    const [keyword = '', name = '', sign = '', value = '', next] = groups;
    return isSecret({ keyword, name, sign, value, isProse: next !== undefined })
      ? `${keyword}${sign}${mark}`
      : whole;
  });
}

type Assignment = Readonly<{ keyword: string; name: string; sign: string; value: string; isProse: boolean }>;

function isSecret({ keyword, name, sign, value, isProse }: Assignment): boolean {
  const isQuoted = /^\\{0,3}["']/.test(value);
  const bare = isQuoted
    ? value.replace(/^\\{0,3}["']/, '').replace(/\\{0,3}["']$/, '')
    : value.replace(/[.!?)`]$/, '').replace(/^`/, '');
  if (NOTHING.test(bare) || (bare.length <= 200 && REFERENCE.test(bare))) return false;
  if (/^pwd$/i.test(keyword) && /^[~.]{0,2}\//.test(bare)) return false;
  if (LOOSE_NAME.test(keyword)) return isRandom(bare);
  if (UPPER_NAME.test(name)) return true;
  if (PAGE_TOKEN.test(name)) return false;
  if (/^key$/i.test(keyword)) return isRandom(bare);
  const isWord = WORD.test(bare);
  if (isWord && isProse && !isQuoted && /:\s/.test(sign)) return false;
  if (LOOSE_TOKEN.test(name))
    return bare.length >= 8 && !/^\d+$/.test(bare) && (!isWord || bare.length >= 16);
  return !/^(?:yes|no|on|off)$/i.test(bare);
}

/** Bits per character from which a text is made by chance; words, paths and slugs stay below. */
const RANDOM_BITS = 3.5;
const MOST_LOOKED_AT = 256;

/** Looks drawn by chance: long, of several kinds of characters, none of them much more frequent than the others. */
export function isRandom(text: string): boolean {
  const looked = text.slice(0, MOST_LOOKED_AT);
  if (looked.length < 20 || !/^[\w+/=.~-]+$/.test(looked)) return false;
  if (!/\d/.test(looked) || !/[A-Za-z]/.test(looked)) return false;
  // Parts between dashes or slashes that are words make a name, not a key.
  if (looked.split(/[-_./]/).filter((part) => /^[A-Za-z]{3,}$/.test(part)).length >= 2) return false;
  const counts = new Map<string, number>();
  for (const char of looked) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / looked.length) * Math.log2(count / looked.length);
  return bits >= RANDOM_BITS;
}
