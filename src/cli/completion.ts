import { Argument, Command, Option } from 'commander';
import { HubError } from '../kernel/errors.ts';
import {
  completionValues,
  type CompletionKind,
  kindOfArgument,
  kindOfOption,
  KINDS,
} from './completion-values.ts';
import type { World } from './world.ts';

/**
 * Scripts that let a shell finish words. Commands, verbs and options are made from the commands themselves, so that they say
 * what this version knows; ids, labels, projects and agents are asked for when one is to be finished, and only then.
 */
export function completionCommand(world: World, everything: () => Promise<Command>): Command {
  return new Command('completion')
    .description('a script that lets your shell finish words')
    .addArgument(new Argument('[shell]').choices(['bash', 'zsh', 'fish']))
    .addOption(new Option('--values <kind>', 'what a script asks for').choices(KINDS).hideHelp())
    .addHelpText(
      'after',
      '\nbash, zsh: source <(holdfast completion bash)\nfish: holdfast completion fish | source',
    )
    .action(async (shell: keyof typeof SCRIPTS | undefined, { values }: { values?: CompletionKind }) => {
      if (values !== undefined) return sayValues(world, values);
      if (shell === undefined)
        throw new HubError('invalid', 'Which shell?', { hint: 'One of bash, zsh and fish.' });
      world.print(completionScript(shell, await everything()));
    });
}

async function sayValues(world: World, kind: CompletionKind): Promise<void> {
  const values = await completionValues(world, kind);
  if (values.length > 0) world.print(values.join('\n'));
}

export function completionScript(shell: 'bash' | 'zsh' | 'fish', { commands }: Command): string {
  return SCRIPTS[shell](commands.map(wordOf));
}

type Word = Readonly<{
  name: string;
  about: string;
  /** What its first argument may be, where that is one of a few. */
  values: readonly string[];
  /** What its first argument is one of, to be asked for. */
  kind: CompletionKind | undefined;
  options: readonly string[];
  /** Options whose value can be asked for. */
  asking: readonly Readonly<{ option: string; kind: CompletionKind }>[];
  verbs: readonly Word[];
}>;

function wordOf(command: Command): Word {
  const shown = command.options.filter(({ hidden }) => !hidden);
  const options = shown.flatMap(({ long }) => (long === undefined || long === null ? [] : [long]));
  return {
    name: command.name(),
    about: command.description(),
    values: command.registeredArguments[0]?.argChoices ?? [],
    kind: kindOfArgument(command),
    options: [...options, '--help'],
    asking: command.options.flatMap((option) => {
      const kind = kindOfOption(option, command.name());
      return kind === undefined ? [] : [{ option: option.long!, kind }];
    }),
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
  const cases = words.flatMap(({ name, verbs, ...own }) => [
    `    '${name} ') ${offer({ ...own, verbs })} ;;`,
    ...verbs.map((verb) => `    '${name} ${verb.name}') ${offer(verb)} ;;`),
    // Behind an argument of a command without verbs.
    ...(verbs.length > 0 ? [] : [`    '${name} '*) words='${own.options.join(' ')}' ;;`]),
  ]);
  const behind = words.flatMap(({ name, verbs, asking }) => [
    ...asking.map(({ option, kind }) => `    '${name}  ${option}'|'${name} '*' ${option}') kind=${kind} ;;`),
    ...verbs.flatMap((verb) =>
      verb.asking.map(({ option, kind }) => `    '${name} ${verb.name} ${option}') kind=${kind} ;;`),
    ),
  ]);
  return [
    '_holdfast() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" noun="" verb="" words="" kind=""',
    '  local before="${COMP_WORDS[COMP_CWORD-1]}"',
    '  [ "$COMP_CWORD" -gt 1 ] && noun="${COMP_WORDS[1]}"',
    '  [ "$COMP_CWORD" -gt 2 ] && verb="${COMP_WORDS[2]}"',
    '  case "$verb" in -*) verb="" ;; esac',
    '  case "$noun $verb $before" in',
    ...behind,
    '  esac',
    '  [ -z "$kind" ] && case "$noun $verb" in',
    `    ' ') words='${[...words.map(({ name }) => name), '--help', '--version'].join(' ')}' ;;`,
    ...cases,
    '  esac',
    '  case "$current" in -*) ;; *)',
    '    [ -n "$kind" ] && words="$words $(holdfast completion --values "$kind" 2>/dev/null | cut -f1)" ;;',
    '  esac',
    '  # shellcheck disable=SC2207 # bash 3 has no mapfile, and no word has a space',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -F _holdfast holdfast',
  ].join('\n');
}

function offer({ verbs, values, kind, options }: Omit<Word, 'name' | 'about' | 'asking'>): string {
  const words = `words='${[...verbs.map(({ name }) => name), ...values, ...options].join(' ')}'`;
  return kind === undefined ? words : `${words}; kind=${kind}`;
}

function fishScript(words: readonly Word[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const line = (condition: string, rest: string) => `complete -c holdfast -n ${quoted(condition)} ${rest}`;
  const asked = (kind: CompletionKind) => quoted(`(holdfast completion --values ${kind} 2>/dev/null)`);
  const optionLines = (condition: string, { values, kind, options, asking }: Word) => [
    ...(values.length === 0 ? [] : [line(condition, `-f -a ${quoted(values.join(' '))}`)]),
    ...(kind === undefined ? [] : [line(condition, `-f -a ${asked(kind)}`)]),
    ...options.map((option) => {
      const takes = asking.find((each) => each.option === option);
      return line(condition, `-l ${option.slice(2)}${takes ? ` -x -a ${asked(takes.kind)}` : ''}`);
    }),
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
