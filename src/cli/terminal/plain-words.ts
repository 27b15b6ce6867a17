// What the hub says to whoever calls it, in the words of the command line: no bodies, no queries, no names of tools.
import type { HubError } from '../../kernel/errors.ts';

const COMMANDS: readonly (readonly [RegExp, string])[] = [
  [/\blist_tasks with ready=true\b/g, '`holdfast board list --ready`'],
  [/\blist_tasks\b/g, '`holdfast board list`'],
  [/\bget_task\b/g, '`holdfast board show`'],
  [/\bcall claim_task first, or name yourself with agentId\b/g, '`holdfast board claim` first'],
  [/\bclaim_task\b/g, '`holdfast board claim`'],
  [
    /, tell (\S+) what you know with add_comment, or, if you are \1, send the fence of your claim/g,
    ', or tell $1 what you know with `holdfast board comment`',
  ],
  [/\badd_comment\b/g, '`holdfast board comment`'],
  [/\bsubmit_evidence\b/g, '`holdfast board evidence`'],
  [/\bupdate_task_status\b/g, '`holdfast board move`'],
  [/\bmemory_search\b/g, '`holdfast memory search`'],
  [/\bsend the fence of your claim\b/g, 'give its --fence'],
  [/\bCorrect the named arguments? and call again\b/g, 'Correct it and try again'],
  [/\bcall again\b/g, 'try again'],
  [/^Someone else got there first; pick other work\.$/, 'Look how it stands now: `show` and `list` tell.'],
  [/\bCheck the id; list what exists first\./g, 'Check how it is written; `list` shows what there is.'],
  [/\bSend a valid credential\b/g, 'A valid token is needed (`holdfast token create`)'],
];

/** An id as people are shown it: its end is enough to name it by. */
const WHOLE_ID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{4}([0-9a-f]{8})\b/g;

type Said = Readonly<{ message: string; hint: string }>;

/** For people alone: `--json` keeps what the hub answered. */
export function inPlainWords({ message, hint }: HubError): Said {
  const bare = message
    .replace(/^Invalid (body|query|path|params): /, '')
    .replace(/^The (body|query|path|params) must not /, 'What is written must not ')
    .replace(/^body must/, 'the text must')
    .replace(/\bmust be a string of (at most \d+|\d+ to \d+) characters/g, 'must be $1 characters long')
    .replace(/\bgot a string of (\d+) characters/g, 'got $1')
    .replace(/\b(\w+)\.\d+(?= must |: )/g, '$1')
    .replace(WHOLE_ID, '$1')
    .replace(/\bunknown argument\b/g, 'unknown field');
  return { message: bare, hint: spoken(hint) };
}

function spoken(hint: string): string {
  return COMMANDS.reduce((text, [said, meant]) => text.replace(said, meant), hint);
}
