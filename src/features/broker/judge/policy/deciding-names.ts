// What an argument is by its name: what is run, which file, where to. By the words of the name, since a `description` is
// no script and a `profile` no file.

const COMMANDS = new Set(['command', 'commands', 'cmd', 'cmdline', 'script', 'shell', 'bash']);
const PATHS = new Set(
  'path paths file files filename filepath folder folders dir dirs directory cwd workdir destination'.split(
    ' ',
  ),
);
const HOSTS = new Set(
  'host hosts hostname domain domains server address endpoint url urls uri href'.split(' '),
);

export function isCommandName(name: string): boolean {
  return hasWord(name, COMMANDS);
}

export function isPathName(name: string): boolean {
  return hasWord(name, PATHS);
}

export function isHostName(name: string): boolean {
  return hasWord(name, HOSTS);
}

export function isDecidingName(name: string): boolean {
  return isCommandName(name) || isPathName(name) || isHostName(name);
}

/** `shell_command`, `shellCommand` and `shell-command` have the same words. */
function hasWord(name: string, words: ReadonlySet<string>): boolean {
  return name
    .replace(/([a-z])(?=[A-Z])/g, '$1 ')
    .split(/[\s_-]+/)
    .some((word) => words.has(word.toLowerCase()));
}
