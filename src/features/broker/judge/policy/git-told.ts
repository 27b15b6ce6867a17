// What a git command is told to run instead of what it says, or beside it: by settings given with `-c`, by options
// and by variables. A rule about git is for such a command whatever it calls itself, and what can be read of it is
// read as a line of its own.
import type { ShellCommand } from './shell-words.ts';

/** Nobody can tell from the words what these make of the command: names of its own, settings and programs from elsewhere. */
const RENAMES = /^(?:alias\.|include\.path|includeif\.|core\.hookspath|init\.templatedir)/i;
const ELSEWHERE = /^--(?:config-env|exec-path=)/;
/** Given as a variable, wherever in the line. */
const ELSEWHERE_VARIABLE = /\bGIT_(?:CONFIG\w{0,40}|EXEC_PATH|TEMPLATE_DIR)\+?=/;

/** Settings whose value git runs. */
const RUN_SETTING =
  /^(?:alias\..*|core\.(?:sshcommand|pager|editor|askpass|fsmonitor|gitproxy|alternaterefscommand)|pager\..*|sequence\.editor|diff\.external|(?:diff|merge|filter|difftool|mergetool|guitool|browser|man|trailer|tar|credential|gpg|remote|uploadpack|interactive|web|sendemail|imap|ssh)\..*(?:command|cmd|textconv|driver|clean|smudge|process|path|helper|program|uploadpack|receivepack|vcs|packobjectshook|difffilter|browser|sendmailcmd|tunnel|external))=/i;
/** Options whose value git runs. */
const RUN_OPTION =
  /^(?:--(?:upload-pack|receive-pack|exec|extcmd|open-files-in-pager|(?:tree|index|msg|env|commit|parent|tag-name)-filter)|-x)(?:=(.*))?$/s;
const RUN_VARIABLE =
  /\b(?:GIT_(?:SSH_COMMAND|SSH|PAGER|EDITOR|SEQUENCE_EDITOR|EXTERNAL_DIFF|PROXY_COMMAND|ASKPASS)|PAGER|EDITOR|VISUAL|SSH_ASKPASS)=("[^"]{0,4096}"?|'[^']{0,4096}'?|[^\s;&|]{1,4096})/g;
/** Subcommands that run the rest of their words. */
const RUNS_REST: readonly (readonly [string, string])[] = [
  ['bisect', 'run'],
  ['submodule', 'foreach'],
];
/** Shows, and does nothing else. */
const HARMLESS = /^\s*(?:cat|less(?: -\w+)*|more|true|false|:)?\s*$/;

/** Can the words behind `git` still be believed? */
export function isRenamed(words: ShellCommand): boolean {
  return words.some(
    (word, at) =>
      ELSEWHERE.test(word) || (RENAMES.test(word) && (words[at - 1] === '-c' || words.includes('config'))),
  );
}

export function isRenamedByVariable(line: string): boolean {
  return ELSEWHERE_VARIABLE.test(line);
}

/** The lines that git runs itself, of the words behind it. */
export function* linesOfGit(words: ShellCommand): Iterable<string> {
  for (const [at, word] of words.entries()) {
    const setting = RUN_SETTING.exec(word);
    if (setting && (words[at - 1] === '-c' || words.includes('config'))) {
      const value = word.slice(setting[0].length);
      const isAlias = /^alias\./i.test(word);
      // An alias is a git command unless it says otherwise.
      const line = isAlias && !value.startsWith('!') ? `git ${value}` : value.replace(/^!/, '');
      if (!HARMLESS.test(line)) yield line;
    }
    const option = RUN_OPTION.exec(word);
    if (option) yield option[1] ?? words[at + 1] ?? '';
    if (RUNS_REST.some(([one, other]) => words[at - 1] === one && word === other))
      yield words.slice(at + 1).join(' ');
  }
}

export function* linesOfVariables(line: string): Iterable<string> {
  for (const [, value = ''] of line.matchAll(RUN_VARIABLE)) {
    const plain = value.replace(/^(["'])(.*?)\1?$/s, '$2');
    if (!HARMLESS.test(plain)) yield plain;
  }
}
