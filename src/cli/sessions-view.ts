// How sessions are told at a terminal. Their words are others', so nothing in them moves the cursor.
import type { ClientState, SessionMoment, ClientSession, SessionTurn } from '../features/sessions/session.ts';
import { shortId } from './short-id.ts';
import { printable, renderTable } from './terminal/table.ts';
import { localMinute } from './terminal/when.ts';

export function sessionTable(sessions: readonly ClientSession[], columns: number | undefined): string {
  return renderTable<ClientSession>(
    [
      { title: 'ENDED', cell: ({ endedAt }) => localMinute(endedAt) },
      { title: 'ID', cell: ({ id }) => shortId(id) },
      { title: 'CLIENT', cell: ({ client }) => client },
      { title: 'TURNS', cell: ({ turns }) => String(turns) },
      { title: 'WHERE', cell: ({ project, folder }) => project ?? folder ?? '-' },
      { title: 'TITLE', cell: ({ title }) => title ?? '', flexible: true },
    ],
    sessions,
    columns,
  );
}

export function stateTable(states: readonly ClientState[], columns: number | undefined): string {
  return renderTable<ClientState>(
    [
      { title: 'CLIENT', cell: ({ client }) => client },
      { title: 'FILES', cell: ({ files }) => String(files) },
      { title: 'TURNS', cell: ({ turns }) => String(turns) },
      { title: 'UNKNOWN', cell: ({ unknown }) => String(unknown) },
      { title: 'FORMAT', cell: ({ format }) => format },
      { title: 'ERROR', cell: ({ error }) => error ?? '', flexible: true },
    ],
    states,
    columns,
  );
}

const MOST = 400;
const AROUND = 120;

export function momentLines(moment: SessionMoment): string {
  const { at, client, sessionId, turn, project, folder, before, after, resume } = moment;
  const head = `${localMinute(at)}  ${client}  ${shortId(sessionId)} turn ${turn}  ${project ?? folder ?? ''}`;
  const near = (each: SessionMoment['before'][number]) => `    ${told(each, AROUND)}`;
  return [
    printable(head),
    ...before.map(near),
    `  > ${told(moment, MOST)}`,
    ...after.map(near),
    ...(resume === null ? [] : [printable(`  ${resume}`)]),
  ].join('\n');
}

function told({ kind, tool, text }: Pick<SessionMoment, 'kind' | 'tool' | 'text'>, most: number): string {
  const said = printable(text.replace(/\s+/g, ' ').trim());
  const who = tool === undefined ? kind : `${kind} ${tool}`;
  return printable(`${who}: `) + (said.length > most ? `${said.slice(0, most)} …` : said);
}

export function turnLines({ turn, at, kind, tool, text, isError, cut }: SessionTurn): string {
  const head = `${turn}  ${localMinute(at)}  ${kind}${tool === undefined ? '' : ` ${tool}`}${isError ? ' (error)' : ''}`;
  const lines = text.split('\n').map((line) => `  ${printable(line)}`);
  return [`\n${printable(head)}`, ...lines, ...(cut ? ['  … (cut)'] : [])].join('\n');
}
