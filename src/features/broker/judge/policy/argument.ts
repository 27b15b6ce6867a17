// How a rule is held against an argument that is no place of the workspace.
import { posix } from 'node:path';
import { matchesPattern } from '../pattern.ts';
import { isGitTold, runsCommand } from './commands.ts';
import { isCommandName } from './deciding-names.ts';
import type { ArgumentMatch } from './policy.ts';
import { addressMatches, readAddressPattern, readWebAddress } from './web-address.ts';

type Held = Readonly<{ name: string; isAllowing: boolean }>;

/**
 * A rule that allows is for exactly what it says. One that denies or asks is for what is meant: a number that
 * came as text is that number, and one of several values is enough.
 */
export function argumentMatches(match: ArgumentMatch, value: unknown, rule: Held): boolean {
  if (typeof match === 'object' && 'absent' in match) return value === undefined;
  if (rule.isAllowing) return isAllowed(match, value, rule.name);
  if (!Array.isArray(value)) return isMeant(match, value, rule.name);
  const values = (value as unknown[]).flat(MOST_DEPTH);
  return [...values, lineOf(values)].some((each) => isMeant(match, each, rule.name));
}

const MOST_DEPTH = 64;

/** `["rm", "-rf", "x"]` is a command, too. */
function lineOf(values: readonly unknown[]): string {
  return values.filter((each) => typeof each === 'string').join(' ');
}

function isAllowed(match: ArgumentMatch, value: unknown, name: string): boolean {
  if (typeof match === 'string') {
    const text = textOf(value);
    if (text === undefined) return false;
    const [pattern, url] = [readAddressPattern(match), readWebAddress(text)];
    if (pattern && url) return addressMatches(pattern, url, true);
    if (isCommandName(name)) return matchesLine(match, text);
    return matchesPattern(match, text) && (match.includes('..') || !hasWayUp(text));
  }
  if (typeof match !== 'object') return value === match;
  if ('oneOf' in match) return match.oneOf.some((item) => item === value);
  return typeof value === 'number' && isBetween(match, value);
}

function isMeant(match: ArgumentMatch, value: unknown, name: string): boolean {
  const text = textOf(value);
  if (text === undefined) return false;
  if (typeof match === 'string') return isMeantBy(match, text, name);
  if (typeof match !== 'object') return String(match) === text.trim();
  if ('oneOf' in match) return match.oneOf.some((item) => isSame(String(item), text));
  return text.trim() !== '' && isBetween(match, Number(text));
}

type Bounds = Readonly<{ min?: number | undefined; max?: number | undefined }>;

function isBetween(match: ArgumentMatch, value: number): boolean {
  const { min = -Infinity, max = Infinity } = match as Bounds;
  return value >= min && value <= max;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function isMeantBy(pattern: string, text: string, name: string): boolean {
  if (matchesPattern(pattern.normalize('NFC'), text.normalize('NFC'))) return true;
  if (isCommandName(name) && runsCommand(pattern, text)) return true;
  const url = readWebAddress(text);
  const address = readAddressPattern(pattern);
  if (url) return address ? addressMatches(address, url, false) : matchesPattern(pattern, url.href);
  return PATH_NAME.test(name) && pathsOf(text).some((path) => matchesPattern(bare(pattern), path));
}

function isSame(item: string, text: string): boolean {
  if (item === text.trim()) return true;
  const [one, other] = [readWebAddress(item), readWebAddress(text)];
  return one !== undefined && one.href === other?.href;
}

const PATH_NAME = /path|file|folder|dir|cwd|root|source|destination/i;

/**
 * A server of others has its paths where we do not know: what can be told is that `./a/../secrets/x` is
 * `secrets/x`, and that a whole path may lead there.
 */
function pathsOf(text: string): string[] {
  const given = text
    .slice(0, LONGEST_PATH)
    .replace(/^file:\/\//i, '')
    .replaceAll('\\', '/');
  const plain = bare(posix.normalize(given)).replace(/\/$/, '');
  const parts = plain.split('/').slice(0, MOST_PARTS);
  const below = /^[/~]/.test(plain) ? parts.map((_, at) => parts.slice(at).join('/')) : [];
  return [plain, ...below].flatMap((path) => [path, `${path}/`]);
}

const [LONGEST_PATH, MOST_PARTS] = [8_192, 256];

function bare(path: string): string {
  return path.replace(/^(?:\.\/)+(?=.)/, '');
}

/** What parts commands, runs one inside another, or leads what is read and written elsewhere; longest first. */
const OPERATOR = /\$\(|\$\{|&&|\|\||;;|&>|>&|>>|<<<|<<-?|>\||<>|[;&|<>`\n\r()]/g;

/**
 * `git *` is meant as one git command: it does not allow `git status; rm x`. A pattern that spells operators out is
 * compared with a line that has the very same ones, part by part, so that no star reaches across one. Quotes do not
 * count: an operator that only looks like one is asked for.
 */
function matchesLine(pattern: string, line: string): boolean {
  // What git is told to run is no part of a star: who allows `git *` did not see it.
  if (pattern !== line && isGitTold(line)) return false;
  const [wanted, given] = [operatorsOf(pattern), operatorsOf(line)];
  if (wanted.length !== given.length || wanted.some((operator, at) => operator !== given[at])) return false;
  const parts = line.split(OPERATOR);
  return pattern.split(OPERATOR).every((part, at) => matchesPattern(part, parts[at]!));
}

function operatorsOf(text: string): readonly string[] {
  return text.match(OPERATOR) ?? [];
}

function hasWayUp(text: string): boolean {
  return text.split(/[\\/]/).includes('..');
}
