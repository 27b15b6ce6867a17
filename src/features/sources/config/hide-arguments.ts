import { isRandom } from '../../../kernel/redact-assignments.ts';
import { isSecretName, REDACTED, redact } from '../../../kernel/redact.ts';

/** Command lines and addresses as they may be shown: the program itself keeps its keys. */
export function hideArguments(words: readonly string[]): string[] {
  return words.map((word, at) => (followsSecretOption(words, at) ? REDACTED : hideWord(word)));
}

export function hideAddress(address: string): string {
  return hideParts(redact(address));
}

/** What the words of a command line hide: these are not said in messages about it either. */
export function hiddenIn(words: readonly string[]): string[] {
  return hideArguments(words).flatMap((shown, at) => {
    const word = words[at]!;
    if (shown === word) return [];
    const keptBefore = shown.indexOf(REDACTED);
    return [word, word.slice(keptBefore)];
  });
}

/** A stand-in for an entry of secrets.yaml says nothing. */
const STAND_IN = /^\$\{secrets\.[^}]*\}$/;

function followsSecretOption(words: readonly string[], at: number): boolean {
  const [option = '', word = ''] = [words[at - 1], words[at]];
  if (!/^--?[A-Za-z]/.test(option) || option.includes('=') || word.startsWith('-')) return false;
  return isSecretName(nameIn(option)) && !STAND_IN.test(word);
}

function hideWord(word: string): string {
  const [, option, value] = /^(--?[\w-]+=|[A-Za-z_]\w*=)(.+)$/s.exec(word) ?? [];
  if (option !== undefined && isSecretName(nameIn(option)) && !STAND_IN.test(value!))
    return `${option}${REDACTED}`;
  return hideParts(redact(word));
}

function nameIn(option: string): string {
  return option.replace(/^-+|=$/g, '').replace(/^(key|auth|pat)$/i, 'api-key');
}

/** A key may stand anywhere in an address: as a part of its path, as a value of its query. */
function hideParts(text: string): string {
  if (isRandom(text)) return REDACTED;
  return text.replace(/[^/?&=#:,;@\s"'`]{20,}/g, (part) => (isRandom(part) ? REDACTED : part));
}
