// What a run says, in a terminal, while it says it.
import type { PresentedRun } from '../../features/dispatch/run.ts';
import type { StreamedFrame } from '../../features/dispatch/stream/events.ts';
import type { Client } from '../client.ts';
import { QuietExit } from '../exit.ts';
import { shownLine } from './view.ts';
import { shortId } from '../short-id.ts';
import { clip, printable } from '../terminal/table.ts';
import { clockTime } from '../terminal/when.ts';
import type { World } from '../world.ts';

/** Prints what a run says until it is over. Answers the last state. */
export async function tailRun(
  world: World,
  client: Client,
  { id, isJson }: Readonly<{ id: string; isJson: boolean }>,
): Promise<PresentedRun> {
  const view = createRunView(world);
  const said = client.follow(`/v1/biam/subscribe?task_id=${encodeURIComponent(id)}`, world.interrupted);
  for await (const { event, data } of said) {
    if (isJson) world.print(JSON.stringify({ event, data }));
    else if (event === 'frame') view.frame(data);
    else if (event === 'task') view.state(data);
    else if (event === 'gap') view.note(data.warning);
    if (event !== 'terminal') continue;
    view.end();
    return data;
  }
  throw new QuietExit(130);
}

export interface RunView {
  frame(frame: StreamedFrame): void;
  state(run: PresentedRun): void;
  note(text: string): void;
  /** Prints what stands without a line end. */
  end(): void;
}

/**
 * What the agent says is the answer, printed whole. What happens around it goes beside it, one line each, as wide as the terminal.
 */
export function createRunView({ print, tell, columns }: Pick<World, 'print' | 'tell' | 'columns'>): RunView {
  // Agents that stream say a word at a time; a line is printed when it is whole.
  let saying = '';

  function say(text: string): void {
    const lines = (saying + text).split('\n');
    saying = lines.pop()!;
    for (const line of lines) print(shownLine(line));
  }

  function end(): void {
    if (saying !== '') print(shownLine(saying));
    saying = '';
  }

  function note(sign: string, text: string): void {
    end();
    const line = `${sign} ${printable(text)}`.trimEnd();
    tell(columns === undefined ? line : clip(line, columns));
  }

  return {
    end,
    note: (text) => note(' ', `(${text})`),
    state({ instance, status, reason, task_id: id }) {
      const now = status === 'active' ? (reason ?? status) : status;
      note(clockTime(Date.now()), `${instance} ${shortId(id)} ${now.replaceAll('_', ' ')}`);
    },
    frame({ line, type, text, kind, tool, approval }) {
      // A plain program ends its lines; what an agent streams may be part of one.
      if (type === 'text') say(kind === 'acp' ? (text ?? line) : `${text ?? line}\n`);
      else if (tool) {
        if (tool.phase === 'start') note('  ·', callLine(tool.name, about(tool.input)));
        else if (tool.ok === false) note('  ×', `${tool.name} failed`);
      } else if (approval) {
        note('  ?', `${nameOf(approval)} (holdfast approvals)`);
      } else if (type === 'error' || type === 'notice') note('  !', text ?? line);
      else if (type === undefined && kind === 'stdout' && !line.startsWith('{')) say(`${line}\n`);
    },
  };
}

function nameOf({ title, kind }: NonNullable<StreamedFrame['approval']>): string {
  return [title, kind].find((name) => typeof name === 'string') ?? 'a call';
}

/** Some agents call a call by its command. */
function callLine(name: string, what: string): string {
  return what === name ? name : `${name} ${what}`;
}

/** The one thing that says most about a call. */
function about(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const given = input as Readonly<Record<string, unknown>>;
  const best = ['command', 'cmd', 'file_path', 'path', 'filePath', 'pattern', 'query', 'url'].find(
    (name) => typeof given[name] === 'string',
  );
  return best === undefined ? '' : String(given[best]);
}
