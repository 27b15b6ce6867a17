/** A grant for one file reaches its neighbours in the same folder, and nothing above or below. */
export function folderPattern(path: string): string {
  const at = path.replaceAll('\\', '/').lastIndexOf('/');
  return at < 0 ? './*' : `${path.slice(0, at)}/*`;
}

const OPERATORS = /[;&|<>`\n\r(){}]|\$/;

/** `git status -s` is granted as `git status *`; a command with operators or expansions only as it stands. */
export function commandShape(command: string): string {
  const trimmed = command.trim();
  if (OPERATORS.test(trimmed)) return trimmed;
  const words = trimmed.split(/\s+/);
  const named = /^[a-z][\w:-]*$/i.test(words[1] ?? '') ? words.slice(0, 2) : words.slice(0, 1);
  return words.length === named.length ? trimmed : `${named.join(' ')} *`;
}
