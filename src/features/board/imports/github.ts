import { HubError } from '../../../kernel/errors.ts';
import { isObject } from '../../../kernel/loose-json.ts';
import {
  type Fields,
  type ForeignFile,
  type ForeignTask,
  instantOf,
  joinParts,
  listOf,
  readJson,
  wordOf,
} from './foreign.ts';

/** The list that `gh issue list --json …` prints; which fields are in it is up to who asked. */
export function readGithub(bytes: Uint8Array): ForeignFile {
  const file = readJson(bytes);
  if (!Array.isArray(file))
    throw new HubError('invalid', 'The file is not a list of issues.', {
      hint: 'Write it with: gh issue list --state all --limit 1000 --json number,title,body,state,labels,comments,url,createdAt,updatedAt,closedAt,assignees',
    });
  const problems: string[] = [];
  const tasks = file.flatMap((issue: unknown, i) => {
    const read = isObject(issue) ? toTask(issue) : undefined;
    if (read) return [read];
    problems.push(`issue ${i + 1} has no number or no title`);
    return [];
  });
  return { tasks, problems };
}

function toTask(issue: Fields): ForeignTask | undefined {
  const number = wordOf(issue['number']);
  const title = wordOf(issue['title']);
  if (number === undefined || title === undefined) return undefined;
  const url = wordOf(issue['url']);
  const reason = wordOf(issue['stateReason'])?.toLowerCase();
  const state = wordOf(issue['state'])?.toLowerCase() ?? 'open';
  const names = (value: unknown, field: string) =>
    listOf(value)
      .filter(isObject)
      .flatMap((one) => wordOf(one[field]) ?? []);
  return {
    // Numbers are the repository's; the address is everybody's.
    key: url ?? `#${number}`,
    externalId: `#${number}`,
    title,
    description: joinParts([
      ['', issue['body']],
      ['Assigned there to', names(issue['assignees'], 'login').join(', ')],
      ['Issue', url ?? `#${number}`],
    ]),
    status: state === 'closed' && reason === 'not_planned' ? 'not_planned' : state,
    priority: 0,
    parent: undefined,
    dependsOn: [],
    labels: names(issue['labels'], 'name'),
    comments: listOf(issue['comments'])
      .filter(isObject)
      .flatMap((one) => {
        const body = wordOf(one['body']);
        const author = isObject(one['author']) ? wordOf(one['author']['login']) : undefined;
        return body === undefined ? [] : [{ author, body, at: instantOf(one['createdAt']) }];
      }),
    createdAt: instantOf(issue['createdAt']),
    updatedAt: instantOf(issue['updatedAt']),
    closedAt: instantOf(issue['closedAt']),
    assignee: names(issue['assignees'], 'login')[0],
  };
}
