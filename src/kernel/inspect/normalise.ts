/**
 * Undoes the disguises of a command or an instruction before anything is matched: Unicode look-alikes and invisible
 * characters, encodings, quoting, shell expansions and nesting. One text becomes several views; each is matched.
 */
import { characterOf, decodeEntities } from '../html-entities.ts';
import { asRead } from '../unseen.ts';

/** Letters of other alphabets that look Latin. NFKC does not fold them. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  `
    аa еe оo рp сc уy хx іi јj ѕs ԁd ɡg һh кk мm тt вb нh ѵv ԛq ԝw ӏl гr пn
    αa εe οo ρp ϲc υu χx ιi κk νv τt βb ηn ꞵb ıi ɑa ⅼl ꮮl ʟl ʀr ᴍm ꜰf ɪi ɴn
    ᴏo ᴇe ꜱs ᴛt ᴜu ᴀa ʙb ᴄc ᴅd ɢg ʜh ᴊj ᴋk ᴘp ᴠv ᴡw ʏy ᴢz
    ∕/ ⁄/ ⧸/ ／/ ＼\\ ‐- ‑- ‒- –- —- −- ﹣- ‘' ’' “" ”" ｜| ¦| ∣| ；; ˜~ ∼~
  `
    .trim()
    .split(/\s+/)
    .map((pair) => [pair[0]!, pair.slice(1)]),
);

export function foldUnicode(text: string): string {
  if (/^[\x20-\x7e\n\t]*$/.test(text)) return text.toLowerCase();
  const folded = asRead(text.normalize('NFKC'))
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return folded.replace(/[^\x00-\x7f]/gu, (letter) => LOOKALIKES.get(letter) ?? letter);
}

/** What a shell would make of the text, as far as that can be told without running it. */
export function foldShell(text: string): string {
  if (!/[\\$={}"'`/]/.test(text)) return collapse(text);
  let out = text.replace(/\\\r?\n/g, '');
  out = out.replace(/\$'((?:[^'\\]|\\.){0,2000})'/g, (_, body: string) => decodeEscapes(body));
  out = substituteVariables(out);
  out = out.replace(/\$\{?ifs\}?(?:%\?\?)?/gi, ' ').replace(/\$\( ?\)|(?<=\w)\$\{\w{1,31}\}(?=\w)/g, '');
  out = out.replace(/\{([^{}\s]{1,200},[^{}\s]{0,200})\}/g, (_, list: string) => list.split(',').join(' '));
  out = out.replace(/\\(.)/gs, '$1').replace(/["'`]/g, '');
  out = out.replace(/\$@|\$\*|\$\{?[1-9]\}?/g, '').replace(/\/(?:\.?\/)+/g, '/');
  return collapse(out);
}

/** A command without what only stands before it: `sudo -u root`, `nohup`, `env A=1`. */
export function unwrapCommands(text: string): string {
  return text.replace(WRAPPERS, '');
}

const WRAPPERS =
  /\b(?:sudo|doas|command|exec|nohup|setsid|busybox|env|time|nice|stdbuf)(?: (?:-[ugcn] [^\s-]\S{0,60}|-\S{0,60}|\w{1,40}=\S{0,200}))* (?=\S)/g;

/** Ways to write a sentence that a reader still reads: digits for letters, other separators, mirrored, shifted, in tag characters. */
export function readings(text: string): string[] {
  const plain = foldUnicode(text);
  const found: string[] = [];
  if (/[a-z][013457@$]|[013457@$][a-z]/.test(plain))
    found.push(plain.replace(/[013457@$]/g, (sign) => LEET[sign]!));
  if (/[a-z][^a-z0-9\s][a-z]/.test(plain))
    found.push(plain.replace(/(?<=[a-z])[^a-z0-9\s]{1,3}(?=[a-z])/g, ' '));
  if (/(?:\b[a-z][ .\-_*]){6}/.test(plain)) found.push(plain.replace(/(?<=\b[a-z])[ .\-_*](?=[a-z]\b)/g, ''));
  found.push(plain.split('').reverse().join(''));
  found.push(
    plain.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97)),
  );
  for (const hidden of unseenTexts(text)) found.push(foldUnicode(hidden));
  return found.map(collapse);
}

/** Texts in signs that are not seen: tags, private use, selectors and rows of two widthless signs as bits. */
export function unseenTexts(text: string): string[] {
  if (/^[\x00-\x7f]*$/.test(text)) return [];
  const bits = Array.from(text.matchAll(/[\u200b-\u200d\u2060-\u2064\ufeff]{16,}/gu), ([row]) =>
    bytesOf(row),
  );
  return [
    lettersOf(text, /[\u{e0020}-\u{e007e}]/gu, 0xe0000),
    lettersOf(text, /[\ue020-\ue07e]/gu, 0xe000),
    lettersOf(text, /[\uf020-\uf07e]/gu, 0xf000),
    lettersOf(text, /[\u{e0110}-\u{e016e}]/gu, 0xe00f0),
    ...bits.flat(),
  ].filter((hidden) => hidden.length >= 5);
}

function lettersOf(text: string, signs: RegExp, from: number): string {
  return Array.from(text.matchAll(signs), ([sign]) => String.fromCodePoint(sign.codePointAt(0)! - from)).join(
    '',
  );
}

/** Which of the two signs is one and which is nought is not known, so both are read. */
function bytesOf(row: string): string[] {
  const [one] = row;
  return ['0', '1'].map((first) => {
    const bits = Array.from(row, (sign) => ((sign === one) === (first === '1') ? '1' : '0')).join('');
    const bytes = bits.match(/.{8}/g) ?? [];
    return bytes.map((byte) => String.fromCharCode(parseInt(byte, 2))).join('');
  });
}

const LEET: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
};

export function collapse(text: string): string {
  return text.replace(/[\s\u0085\u2028\u2029]+/gu, ' ').trim();
}

/** `a=rm; $a -rf /` and `${a}`: assignments in the same text are put in place, twice for a chain of them. */
export function substituteVariables(text: string): string {
  const values = new Map<string, string>();
  for (const [, name, value] of text.matchAll(
    /(?:^|[\s;&|(])([a-z_]\w{0,30})=("[^"\n]{0,200}"|'[^'\n]{0,200}'|[^\s;&|]{0,200})/gi,
  )) {
    values.set(name!.toLowerCase(), value!.replace(/^["']|["']$/g, ''));
    if (values.size >= 50) break;
  }
  if (values.size === 0) return text;
  const replace = (from: string) =>
    from.replace(
      /\$\{(\w{1,31})\}|\$(\w{1,31})/g,
      (whole, braced?: string, bare?: string) => values.get((braced ?? bare)!.toLowerCase()) ?? whole,
    );
  return replace(replace(text)).slice(0, text.length * 4 + 10_000);
}

/** `\x72`, `\162`, `\u0072`, `%72`, `&#114;` and `&#x72;` as the characters they stand for. */
export function decodeEscapes(text: string): string {
  if (!/[\\%&]/.test(text)) return text;
  const plain = text
    .replace(/\\x([0-9a-f]{2})/gi, (_, hex: string) => fromCode(parseInt(hex, 16)))
    .replace(/\\u\{?([0-9a-f]{4,6})\}?/gi, (_, hex: string) => fromCode(parseInt(hex, 16)))
    .replace(/\\0?([0-7]{3})/g, (_, octal: string) => fromCode(parseInt(octal, 8)))
    .replace(/\\n/g, '\n')
    .replace(/\\t/g, '\t')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => fromCode(parseInt(hex, 16)));
  // Twice, for an entity that is spelled by another.
  return decodeEntities(decodeEntities(plain, ' '), ' ');
}

const fromCode = (code: number): string => characterOf(code, ' ');
