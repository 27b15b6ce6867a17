import { Argument, Command } from 'commander';
import type { World } from './world.ts';

/**
 * Scripts that let a shell finish words: commands, verbs and options. They are made from the commands themselves, so that
 * they say what this version knows; a shell that loads one asks nobody while a person types.
 */
export function completionCommand(world: World, everything: () => Promise<Command>): Command {
  return new Command('completion')
    .description('a script that lets your shell finish words')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      '\nbash, zsh: source <(holdfast completion bash)\nfish: holdfast completion fish | source',
    )
    .action(async (shell: keyof typeof SCRIPTS) => {
      world.print(completionScript(shell, await everything()));
    });
}

export function completionScript(shell: 'bash' | 'zsh' | 'fish', { commands }: Command): string {
  return SCRIPTS[shell](commands.map(wordOf));
}

type Word = Readonly<{
  name: string;
  about: string;
  /** What its first argument may be, where that is one of a few. */
  values: readonly string[];
  options: readonly string[];
  verbs: readonly Word[];
}>;

function wordOf(command: Command): Word {
  const options = command.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long]));
  return {
    name: command.name(),
    about: command.description(),
    values: command.registeredArguments[0]?.argChoices ?? [],
    options: [...options, '--help'],
    verbs: command.commands.map(wordOf),
  };
}

const SCRIPTS = {
  bash: bashScript,
  zsh: (words: readonly Word[]) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(words)}`,
  fish: fishScript,
} as const;

/** By the command and the verb before the cursor; files where neither says anything. */
function bashScript(words: readonly Word[]): string {
  const cases = words.flatMap(({ name, values, options, verbs }) => [
    `    '${name} ') words='${[...verbs.map((verb) => verb.name), ...values, ...options].join(' ')}' ;;`,
    ...verbs.map(
      (verb) => `    '${name} ${verb.name}') words='${[...verb.values, ...verb.options].join(' ')}' ;;`,
    ),
    // Behind an argument of a command without verbs.
    ...(verbs.length > 0 ? [] : [`    '${name} '*) words='${options.join(' ')}' ;;`]),
  ]);
  return [
    '_holdfast() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" noun="" verb="" words=""',
    '  [ "$COMP_CWORD" -gt 1 ] && noun="${COMP_WORDS[1]}"',
    '  [ "$COMP_CWORD" -gt 2 ] && verb="${COMP_WORDS[2]}"',
    '  case "$verb" in -*) verb="" ;; esac',
    '  case "$noun $verb" in',
    `    ' ') words='${[...words.map(({ name }) => name), '--help', '--version'].join(' ')}' ;;`,
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -F _holdfast holdfast',
  ].join('\n');
}

function fishScript(words: readonly Word[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const line = (condition: string, rest: string) => `complete -c holdfast -n ${quoted(condition)} ${rest}`;
  const optionLines = (condition: string, { values, options }: Word) => [
    ...(values.length === 0 ? [] : [line(condition, `-f -a ${quoted(values.join(' '))}`)]),
    ...options.map((option) => line(condition, `-l ${option.slice(2)}`)),
  ];
  return words
    .flatMap((word) => {
      const inside = `__fish_seen_subcommand_from ${word.name}`;
      const verbs = word.verbs.map(({ name }) => name).join(' ');
      const bare = verbs === '' ? inside : `${inside}; and not __fish_seen_subcommand_from ${verbs}`;
      return [
        line('__fish_use_subcommand', `-f -a ${word.name} -d ${quoted(word.about)}`),
        ...word.verbs.map((verb) => line(bare, `-f -a ${verb.name} -d ${quoted(verb.about)}`)),
        ...optionLines(bare, word),
        ...word.verbs.flatMap((verb) =>
          optionLines(`${inside}; and __fish_seen_subcommand_from ${verb.name}`, verb),
        ),
      ];
    })
    .join('\n');
}
