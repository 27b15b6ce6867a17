// How help looks: as wide as the terminal, what things do beside short names and under long ones.
import type { Command, Help, HelpConfiguration } from 'commander';
import { paint, withColor } from './color.ts';

/** Where a terminal does not say how wide it is. */
const USUAL_WIDTH = 80;
/** Longer lines are hard to read, however wide the terminal is. */
const WIDEST = 120;
const NARROWEST = 30;
const INDENT = 2;
const LONGEST_NAME = 28;

type Item = Readonly<{ name: string; about: string }>;
type Section = Readonly<{ title: string; items: readonly Item[] }>;

/** What is done every day. Everything else is below, by what it is about. */
export const EVERY_DAY: readonly Item[] = [
  { name: 'board', about: 'what is to be done here, and who does it' },
  { name: 'board add "<title>"', about: 'add a task' },
  { name: 'board done <task>', about: 'finish one' },
  { name: 'search <words>', about: 'find what anybody wrote' },
  { name: 'approvals', about: 'decide what waits for you' },
];

export function helpLooks(columns: number | undefined): HelpConfiguration {
  const width = helpWidth(columns);
  return {
    formatHelp: (command, helper) =>
      [
        wrapTo(`${paint('bold', 'Usage:')} ${helper.commandUsage(command)}`, width),
        wrapTo(helper.commandDescription(command), width),
        ...sectionsOf(command, helper).map((section) => formatSection(section, width)),
      ]
        .filter((part) => part !== '')
        .join('\n\n') + '\n',
  };
}

export function helpWidth(columns: number | undefined): number {
  return Math.min(WIDEST, Math.max(NARROWEST, columns || USUAL_WIDTH));
}

function sectionsOf(command: Command, helper: Help): readonly Section[] {
  const isWhole = command.parent === null;
  const args = helper
    .visibleArguments(command)
    .map((each) => ({ name: helper.argumentTerm(each), about: helper.argumentDescription(each) }));
  const options = helper
    .visibleOptions(command)
    .map((each) => ({ name: helper.optionTerm(each), about: helper.optionDescription(each) }));
  const groups = Map.groupBy(helper.visibleCommands(command), (each) => each.helpGroup() || 'Commands:');
  const commands = [...groups].map(([title, members]) => ({
    title,
    items: members.map((each) => ({
      name: isWhole ? each.name() : withArguments(each),
      about: helper.subcommandDescription(each),
    })),
  }));
  const sections = [
    { title: 'Every day:', items: isWhole ? EVERY_DAY : [] },
    { title: 'Arguments:', items: args },
    ...commands,
    // Those of `holdfast` itself are said below, in one line.
    { title: 'Options:', items: isWhole ? [] : options },
  ];
  return sections.filter(({ items }) => items.length > 0);
}

/** What a verb takes. That it has options, too, is nothing that sets it apart. */
function withArguments(command: Command): string {
  const args = command.registeredArguments.map((each) => {
    const name = `${each.name()}${each.variadic ? '...' : ''}`;
    return each.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...args].join(' ');
}

function formatSection({ title, items }: Section, width: number): string {
  const most = Math.min(LONGEST_NAME, Math.floor(width / 3));
  const column = Math.max(...items.map(({ name }) => name.length).filter((length) => length <= most), 8);
  const lines = items.map(({ name, about }) => {
    const start = INDENT + column + 2;
    const told = wrap(about, width - start).join(`\n${' '.repeat(start)}`);
    const gap = name.length <= column ? ' '.repeat(column - name.length + 2) : `\n${' '.repeat(start)}`;
    return `${' '.repeat(INDENT)}${name}${about === '' ? '' : gap}${told}`;
  });
  return [paint('bold', title), ...lines].join('\n');
}

/** Lines that are too long go on below, as far in as they began. */
export function wrapTo(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const indent = /^ */.exec(line)![0];
      return wrap(line.slice(indent.length), width - indent.length).map((part) => `${indent}${part}`);
    })
    .join('\n');
}

function wrap(text: string, width: number): string[] {
  if (lengthOf(text) <= width) return [text];
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || lengthOf(last) + 1 + lengthOf(word) > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** As it is seen: what colours it takes no room. */
function lengthOf(text: string): number {
  return withColor(text, false).length;
}
