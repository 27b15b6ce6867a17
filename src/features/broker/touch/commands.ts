// What a command line names: files among its words and behind `<` and `>`, and whom it reaches. A program may reach more
// than it names, and nobody is told that this is all.
import { allCommandsIn, baseOf, isLauncher } from '../judge/policy/commands.ts';
import { type ShellCommand, targetsIn } from '../judge/policy/shell-words.ts';

/** `isCertain`: it is a file whatever is there; otherwise only if it is there, or its folder is. */
export type NamedFile = Readonly<{ given: string; isCertain: boolean }>;

/** Whom it reaches: by an address, by the name of a remote of its repository, or as the settings of a program have it. */
export type NamedHost =
  | Readonly<{ by: string; address: string }>
  | Readonly<{ by: string; remote: string; isPush: boolean; isNamed: boolean }>
  | Readonly<{ by: string; settingsOf: string }>;

export type CommandTouches = Readonly<{
  files: readonly NamedFile[];
  hosts: readonly NamedHost[];
  /** The folder it goes to first; undefined: it stays. `null`: it goes to places that cannot be told. */
  goesTo: string | null | undefined;
}>;

export function readCommand(line: string): CommandTouches {
  const commands = allCommandsIn(line);
  const targets = targetsIn(line).map((given) => ({ given, isCertain: true }));
  return {
    files: [...targets, ...commands.flatMap(filesOf)],
    hosts: [...addressesIn(line), ...commands.flatMap(hostsOf)],
    goesTo: whereItGoes(line, commands),
  };
}

/** Programs whose words are files, also where nothing is there yet. */
const OF_FILES = new Set(
  'rm rmdir unlink mv cp touch mkdir ln tee truncate shred cat install rsync scp chmod chown source .'.split(
    ' ',
  ),
);
/** Their first word says how, not which. */
const HOW_FIRST = new Set(['chmod', 'chown']);
/** `s/a/b/` of sed, and what has blanks in it, is text. */
const TEXT = /\s|^[sy]([/|#,]).*\1/s;

function filesOf(words: ShellCommand): readonly NamedFile[] {
  const at = programIn(words);
  const program = baseOf(words[at] ?? '');
  if (program === 'cd') return [];
  const isCertain = OF_FILES.has(program);
  const operands = words
    .slice(at + 1)
    .map((word) => (word.startsWith('-') ? (/^--?[\w-]+=(.+)$/s.exec(word)?.[1] ?? '') : word))
    .filter((word) => word !== '' && !isAddress(word));
  const started = words[at]?.includes('/') ? [{ given: words[at], isCertain: true }] : [];
  const meant = HOW_FIRST.has(program) ? operands.slice(1) : operands;
  return [
    ...started,
    ...meant.filter((word) => isCertain || !TEXT.test(word)).map((given) => ({ given, isCertain })),
  ];
}

/** The program that does it: behind `sudo`, `timeout 5` and the like, the first word that is one we know. */
function programIn(words: ShellCommand): number {
  if (!isLauncher(words)) return 0;
  const at = words.findIndex((word) => OF_FILES.has(baseOf(word)) || REACHING.test(baseOf(word)));
  return at < 0 ? 0 : at;
}

const REACHING = /^(?:git|ssh|scp|sftp|rsync|curl|wget|nc|ncat|telnet|ping)$/;
const SCHEME = /[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'`<>\\;|&(){}]{1,4000}/gi;
/** `user@host:path`, as ssh and git write it. */
const SCP = /^(?:[\w.~-]+@)?([A-Za-z0-9][A-Za-z0-9.-]*):(?!\/\/)(?!\\)[^\s]*$/;
const BARE_HOST =
  /^(?:[\w.~-]+@)?(\[[0-9a-f:]+\]|localhost|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)(?::\d+)?(?:\/.*)?$/i;

function isAddress(word: string): boolean {
  return /^[a-z][a-z0-9+.-]{0,30}:\/\//i.test(word);
}

export function addressesIn(text: string): readonly NamedHost[] {
  return [...text.matchAll(SCHEME)]
    .filter(([address]) => !/^file:/i.test(address))
    .map(([address]) => ({ by: address, address }));
}

function hostsOf(words: ShellCommand): readonly NamedHost[] {
  const at = programIn(words);
  const program = baseOf(words[at] ?? '');
  const rest = words.slice(at + 1);
  const operands = rest.filter((word) => !word.startsWith('-') && !isAddress(word));
  if (program === 'git') return remotesOf(rest);
  if (program === 'ssh' || program === 'sftp')
    return bare(
      operands.find((word) => !/^\d+$/.test(word)),
      true,
    );
  if (program === 'scp' || program === 'rsync') return operands.flatMap(scpHost);
  if (REACHING.test(program)) return operands.flatMap((word) => bare(word, false));
  const told = TOLD_BY_SETTINGS.find(([name, does]) => name.test(program) && does.test(operands[0] ?? ''));
  return told ? [{ by: [program, operands[0]].filter(Boolean).join(' '), settingsOf: program }] : [];
}

function scpHost(word: string): readonly NamedHost[] {
  const [, host] = SCP.exec(word) ?? [];
  return host === undefined ? [] : [{ by: word, address: `ssh://${host}` }];
}

/** `isAny`: a name without a dot is one, too, as in settings of ssh. */
function bare(word: string | undefined, isAny: boolean): readonly NamedHost[] {
  if (word === undefined) return [];
  const host = BARE_HOST.exec(word)?.[1] ?? (isAny ? word.replace(/^.*@/, '') : undefined);
  return host === undefined || host === '' ? [] : [{ by: word, address: `ssh://${host}` }];
}

const REMOTE_WORK = /^(?:push|pull|fetch|clone|ls-remote|remote|submodule)$/;

function remotesOf(rest: ShellCommand): readonly NamedHost[] {
  const at = rest.findIndex((word) => REMOTE_WORK.test(word));
  const verb = rest[at];
  if (verb === undefined || verb === 'remote' || verb === 'submodule') return [];
  const by = `git ${verb}`;
  // Another folder, another repository: its remotes are not looked up.
  if (rest.slice(0, at).some((word) => /^(?:-C|--git-dir|--work-tree)/.test(word)))
    return [{ by, settingsOf: 'git' }];
  const named = rest.slice(at + 1).find((word) => !word.startsWith('-'));
  if (named !== undefined && isAddress(named)) return [];
  if (named !== undefined && SCP.test(named)) return scpHost(named);
  if (verb === 'clone' || (named !== undefined && /[/.]/.test(named))) return [];
  const isPush = verb === 'push';
  return [
    { by: `${by} ${named ?? ''}`.trim(), remote: named ?? 'origin', isPush, isNamed: named !== undefined },
  ];
}

/** Where these go stands in their settings, not in the line. */
const TOLD_BY_SETTINGS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:npm|pnpm|yarn|bun)$/, /^(?:publish|unpublish|install|i|ci|add|update|upgrade|login|deprecate)$/],
  [/^(?:pip3?|uv|poetry|cargo|gem|twine|go)$/, /^(?:install|publish|push|upload|add|get)$/],
  [/^(?:docker|podman|helm)$/, /^(?:push|pull|login)$/],
  [/^(?:gh|aws|gcloud|az|kubectl|terraform|vercel|netlify|fly|flyctl|heroku)$/, /./],
];

/** A first `cd folder &&` is followed; any other one, or one that may not happen, is not. */
function whereItGoes(line: string, commands: readonly ShellCommand[]): string | null | undefined {
  const moves = commands.filter(([program = '']) => /^(?:cd|pushd|popd)$/.test(program));
  if (moves.length === 0) return undefined;
  const [first] = moves;
  const isFirst = /^\s*cd\s+[^;&|()`$\n]+(?:&&|;|\n)/.test(line) && first === commands[0];
  return moves.length === 1 && isFirst && first?.length === 2 ? first[1]! : null;
}
