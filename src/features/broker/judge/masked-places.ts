// What decides is never masked: where a key stands in place of a host, a path or a command, nobody could see what they
// allow, and a grant would be for a mask. Such a call is refused.
import { redact } from '../../../kernel/redact.ts';
import type { Args } from './inspectors/inspector.ts';
import { maskWith } from '../tell/masks.ts';
import { allCommandsIn, isLauncher } from './policy/commands.ts';
import { isCommandName, isHostName, isPathName } from './policy/deciding-names.ts';
import type { ShellCommand } from './policy/shell-words.ts';
import type { CallFacts, WorldTool } from '../world-tool.ts';

export type MaskedPlace = 'host' | 'path' | 'command' | 'value';

/** Stands for what would be masked: no text of a caller keeps it, since it is taken out first. */
const SIGN = '\ue000';

/** What a mask would hide of a call that is to be decided, if it is anything that decides. */
export function maskedPlace(tool: WorldTool, args: Args, facts: CallFacts): MaskedPlace | undefined {
  const content = new Set(tool.content ?? []);
  const orders = Object.entries(args).filter(([name]) => !content.has(name));
  for (const [name, value] of orders) {
    const place = placeIn(value, name);
    if (place) return place;
  }
  return Object.values(facts).some((fact) => signed(fact).includes(SIGN)) ? 'path' : undefined;
}

const MOST_DEPTH = 64;

function placeIn(value: unknown, name: string, depth = 0): MaskedPlace | undefined {
  if (typeof value === 'string') return placeInText(value, name);
  if (value === null || typeof value !== 'object' || depth > MOST_DEPTH) return undefined;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const line = isCommandName(name) ? items.filter((each) => typeof each === 'string').join(' ') : '';
    return firstOf([line, ...items], (each) => placeIn(each, name, depth + 1));
  }
  return firstOf(Object.entries(value), ([key, each]) => placeIn(each, key, depth + 1));
}

function placeInText(text: string, name: string): MaskedPlace | undefined {
  if (isCommandName(name) && isExpanded(text)) return 'value';
  const shown = signed(text);
  if (!shown.includes(SIGN)) return undefined;
  if (isHostOf(shown)) return 'host';
  if (isCommandName(name)) return placeInCommand(shown);
  if (isPathName(name)) return 'path';
  if (!isHostName(name)) return undefined;
  return pathOfAddress(shown)?.includes(SIGN) ? 'path' : shown.includes('://') ? undefined : 'host';
}

function signed(text: string): string {
  return maskWith(text.replaceAll(SIGN, ' '), SIGN);
}

const AUTHORITY = /[a-z][a-z0-9+.-]{0,30}:\/\/([^\s/?#"'`<>\\]*)/gi;

/** A name and a password before the host are values; the host is what stands behind them. */
function isHostOf(shown: string): boolean {
  return Array.from(shown.matchAll(AUTHORITY)).some(([, authority = '']) =>
    authority.slice(authority.lastIndexOf('@') + 1).includes(SIGN),
  );
}

function pathOfAddress(shown: string): string | undefined {
  return /^[a-z][a-z0-9+.-]{0,30}:\/\/[^/?#]*([^?#]*)/i.exec(shown.trim())?.[1];
}

/** A key is a value behind an option or a name; as a program, a file that is read or written, or a part of a path it is not. */
function placeInCommand(shown: string): MaskedPlace | undefined {
  if (new RegExp(`[<>]\\s*["']?[^\\s;&|<>"']*${SIGN}`).test(shown)) return 'path';
  return firstOf(allCommandsIn(shown), (words) => {
    if (isStarted(words)) return 'command';
    return words.some(isPartOfPath) ? 'path' : undefined;
  });
}

/** Of a launcher all words count that may be what it starts: those behind its options, their values and numbers. */
function isStarted(words: ShellCommand): boolean {
  const [program = '', ...given] = words;
  if (program.includes(SIGN)) return true;
  if (!isLauncher(words)) return false;
  for (const [at, word] of given.entries()) {
    if (word.includes(SIGN) && !word.includes('=') && !/[\s;&|]/.test(word)) return true;
    const isBefore = word.startsWith('-') || /^[\d.]+[smhd]?$/.test(word) || /^\w+=/.test(word);
    if (!isBefore && !given[at - 1]?.startsWith('-')) return isStarted(given.slice(at));
  }
  return false;
}

function isPartOfPath(word: string): boolean {
  return word.includes(SIGN) && word.includes('/') && !/[=:\s]/.test(word);
}

const ASSIGNED =
  /(?<![\w$])([A-Za-z_]\w{0,100})\+?=("(?:[^"\\]|\\.){0,8192}"?|'[^']{0,8192}'?|[^\s;&|()]{1,8192})/g;

/** `password=…; $password`: what is hidden as a value would be run, or go, where it is put in. */
function isExpanded(text: string): boolean {
  if (!text.includes('$')) return false;
  return Array.from(text.matchAll(ASSIGNED)).some(([all, name = '']) => {
    const used = new RegExp(`\\$\\{?[!#]?${name}(?!\\w)`);
    return used.test(text) && redact(all) !== all;
  });
}

function firstOf<T, R>(items: readonly T[], look: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const SAID: Readonly<Record<MaskedPlace, string>> = {
  host: 'a key stands where a host stands',
  path: 'a key stands where a path stands',
  command: 'a key stands where a command stands',
  value: 'a value that looks like a key is put into the same line again',
};

/** As a refusal says it. */
export function refusedMask(
  place: MaskedPlace,
): Readonly<{ decision: 'deny'; reason: string; hint: string }> {
  return {
    decision: 'deny',
    reason: `masked:${place}`,
    hint: `Refused: ${SAID[place]}, and keys are masked, so nobody could see what they allow. Give keys as values, from a file or the environment.`,
  };
}
