/**
 * Patterns are written as ripgrep reads them; this spells them for JavaScript. Named groups, leading flags, POSIX classes,
 * word boundaries and escapes of plain characters differ, the rest is the same in both.
 */
export function toJavaScript(pattern: string): { source: string; isCaseless: boolean } {
  const flags = /^\(\?([a-z]+)\)/.exec(pattern)?.[1] ?? '';
  const body = spell(flags === '' ? pattern : pattern.slice(flags.length + 3));
  const dotted = flags.includes('s') ? `(?s:${body})` : body;
  return { source: dotted, isCaseless: flags.includes('i') };
}

const POSIX: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  blank: ' \\t',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\s',
  upper: 'A-Z',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
};

/** One token at a time; the third group is what stands for itself in ripgrep and needs care in JavaScript. */
const TOKEN = /\\[pP]\{\^?\w+\}|\\([\s\S])|\[:(\w+):\]|\(\?P<|\{\d+(?:,\d*)?\}|([\s\S])/g;
const SYNTAX = new Set('^$\\.*+?()[]{}|/');

function spell(pattern: string): string {
  let isClass = false;
  let afterSet = false;
  return pattern.replace(TOKEN, (token, escaped?: string, posix?: string, plain?: string) => {
    const wasSet = afterSet;
    afterSet = false;
    if (escaped !== undefined) {
      afterSet = isClass && /[wdsWDS]/.test(escaped);
      return escape(escaped, isClass);
    }
    if (token.startsWith('\\')) {
      afterSet = isClass;
      return property(token);
    }
    if (posix !== undefined && isClass && POSIX[posix] !== undefined) return POSIX[posix];
    if (token === '(?P<') return isClass ? token : '(?<';
    if (plain === '[' && !isClass) isClass = true;
    else if (plain === ']' && isClass) isClass = false;
    else if (plain === '-' && isClass && wasSet) return '\\-';
    else if (!isClass && (plain === '{' || plain === '}' || plain === ']')) return `\\${plain}`;
    return token;
  });
}

/** A script has its name alone in ripgrep and `Script=` before it in JavaScript. */
function property(token: string): string {
  try {
    return new RegExp(token, 'u').source;
  } catch {
    return token.replace('{', '{Script=');
  }
}

function escape(char: string, isClass: boolean): string {
  if (!isClass && (char === '<' || char === '>')) return '\\b';
  if (/[A-Za-z0-9]/.test(char) || SYNTAX.has(char) || (isClass && char === '-')) return `\\${char}`;
  return char;
}
