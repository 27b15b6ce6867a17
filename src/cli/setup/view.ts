import { userHome } from '../../features/attach/files/client-files.ts';
import type { Style } from '../terminal/color.ts';
import type { Part, SetupStep } from './steps.ts';
import { renderTable } from '../terminal/table.ts';
import type { World } from '../world.ts';

/** `none`: what is said to who asked for it where there is nothing that could be done. */
type Saying = Readonly<{ about: string; question: string; none?: string }>;

/** How setup is told to a person: what a part is for, its changes, and the question. */
export const SAYING: Readonly<Record<Part, Saying>> = {
  clients: { about: 'Clients: their sessions find the hub', question: 'Connect them?' },
  hooks: {
    about: 'Hooks: their sessions register themselves and see their mail',
    question: 'Add the hooks?',
  },
  sessions: {
    about:
      'Sessions: what you and your agents said is kept and found again (`holdfast sessions`), read-only, on this machine',
    question: 'Read them?',
  },
  service: { about: 'Service: the hub starts with your session', question: 'Install the service?' },
  completion: { about: 'Completion: your shell finishes words', question: 'Install the completion?' },
  notes: {
    about: 'Notes: lines in this repository that make agents use the board',
    question: 'Add the lines?',
  },
  embedding: {
    about: 'Embedding: memories are also found by meaning, by a model on this machine',
    question: 'Use it?',
    none: 'Embedding: none of Ollama, LM Studio and llama.cpp answered here with a model that embeds. Start one, and run this again.',
  },
  path: { about: 'Path: `holdfast` is found in every terminal', question: 'Put it there?' },
};

const STATES: Readonly<Record<SetupStep['state'], Readonly<{ word: string; style: Style }>>> = {
  change: { word: 'to be changed', style: 'green' },
  same: { word: 'has it already', style: 'dim' },
  refused: { word: 'left alone', style: 'red' },
};

export function renderSteps(part: Part, steps: readonly SetupStep[], world: World): string {
  const table = renderTable<SetupStep>(
    [
      { title: 'WHAT', cell: ({ name }) => name },
      { title: 'FILE', cell: ({ file }) => shortPath(file, world), flexible: true },
      { title: '', cell: ({ state }) => STATES[state].word, style: ({ state }) => STATES[state].style },
    ],
    steps,
    world.columns,
  );
  const diffs = steps.filter(({ diff }) => diff !== '').map(brief);
  const reasons = steps.flatMap(({ name, why }) => (why === undefined ? [] : [`${name}: ${why}`]));
  return [SAYING[part].about, ...diffs, table, ...reasons].join('\n');
}

/** A script of hundreds of lines in a file of its own tells nobody anything; another command prints it. */
function brief({ part, name, file, diff }: SetupStep): string {
  const lines = diff.split('\n');
  if (part !== 'completion' || lines.length < 40) return diff;
  return `+++ ${file}: ${lines.length - 3} lines, those of \`holdfast completion ${name}\``;
}

function shortPath(file: string, { env }: World): string {
  const home = userHome(env);
  return file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}
