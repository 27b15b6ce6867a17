// `holdfast hooks guard`: what the hook of a repository runs before a commit. It is in nobody's way: without a hub that answers
// soon, and whatever else goes wrong, the commit goes on.
import type { Api } from '../../features/api.ts';
import { askingBy } from '../hints.ts';
import { toHubError } from '../../kernel/errors.ts';
import { committedPaths } from '../../kernel/git/hooks.ts';
import { gitPlaceOf } from '../../kernel/git/place.ts';
import { findHub, linkTo } from '../../kernel/hub-link.ts';
import { ancestorsOf, type Kin } from '../../kernel/process/ancestors.ts';
import { QuietExit } from '../exit.ts';
import { configFrom, type Options } from '../options.ts';
import { shortId } from '../short-id.ts';
import { printable } from '../terminal/table.ts';
import type { World } from '../world.ts';

type Guarded = Api['POST /api/reservations/guard']['answer'];

/** The hook refuses the commit for this code, and for no other. */
export const REFUSED = 4;
const PATIENCE_MS = 5_000;
const MOST_PATHS = 5_000;
const MOST_TOLD = 10;

export async function guardCommit(world: World, options: Options): Promise<void> {
  const line = ancestorsOf(process.pid);
  const guarded = await askHub(world, options, line).catch((error: unknown) => {
    world.tell(`holdfast: reservations were not looked at: ${toHubError(error).message}`);
    return undefined;
  });
  if (!guarded || guarded.taken.length === 0) return;
  const isAgent = guarded.agent !== null || isUnknownAgent(world, line);
  for (const text of wordsFor(guarded, isAgent)) world.tell(text);
  if (isAgent) throw new QuietExit(REFUSED);
}

async function askHub(world: World, options: Options, line: readonly Kin[]): Promise<Guarded | undefined> {
  const place = await gitPlaceOf(world.cwd);
  if (place?.top === undefined) return undefined;
  const hub = await findHub(await configFrom(world, options), world.env);
  if (!hub) return undefined;
  const paths = await committedPaths(place, place.top, world.env['GIT_INDEX_FILE']);
  if (paths.length === 0) return undefined;
  const ask = askingBy(linkTo(hub, AbortSignal.timeout(PATIENCE_MS)).call);
  const agentId = world.env['HOLDFAST_AGENT_ID'] || undefined;
  const taken: Guarded['taken'] = [];
  let agent: string | null = null;
  for (let from = 0; from < paths.length; from += MOST_PATHS) {
    const part = await ask('POST /api/reservations/guard', {
      folder: place.top,
      paths: paths.slice(from, from + MOST_PATHS),
      line: [...line],
      agentId,
    });
    taken.push(...part.taken);
    agent = part.agent;
  }
  return { agent, taken };
}

/** Clients say so to what they start, as `npm run test:clients` sees; what they call themselves is a sign, too. */
const MARKS = ['CLAUDECODE', 'CODEX_THREAD_ID', 'GEMINI_CLI', 'OPENCODE'];
const CLIENTS = /^(claude|codex|gemini|opencode)/;

function isUnknownAgent({ env }: World, line: readonly Kin[]): boolean {
  return MARKS.some((name) => env[name]) || line.some(({ name }) => CLIENTS.test(name));
}

function wordsFor({ taken }: Guarded, isAgent: boolean): string[] {
  const names = [...new Set(taken.map((each) => each.with.agentId))].join(', ');
  const told = taken.slice(0, MOST_TOLD).map(({ path, with: { agentId, pattern, taskId, reason } }) => {
    const why = reason === null ? '' : `: ${reason}`;
    return `  ${path}  reserved by ${agentId} (${pattern}) for task ${shortId(taskId)}${why}`;
  });
  const more = taken.length > MOST_TOLD ? [`  … and ${taken.length - MOST_TOLD} more`] : [];
  const [head, end] = isAgent
    ? [
        `holdfast: refused: this commit changes files that ${names} works on.`,
        `Leave these files out (git restore --staged <file>), or write to ${names} and wait for the files.`,
      ]
    : [
        `holdfast: ${names} works on files of this commit. You are a person: it goes on.`,
        'Tell them, or they may overwrite it.',
      ];
  return [head, ...told, ...more, end].map(printable);
}
