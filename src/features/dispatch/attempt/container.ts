// The same command in a container: it sees its folder, what config.yaml mounts and nothing else of the machine, and no network unless
// config.yaml says so.
import { join } from 'node:path';
import { pause } from '../../../kernel/clock.ts';
import type { ContainerSettings, ContainerMount } from '../../../kernel/container-settings.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Launch } from '../../../kernel/process/start.ts';
import { startProcess } from '../../../kernel/process/start.ts';
import type { Run } from '../run.ts';

/** `leave` takes away what is left when it has ended. */
export type AgentLaunch = Launch & Readonly<{ leave?: readonly string[] }>;

type Inside = Readonly<{
  run: Pick<Run, 'id' | 'cwd' | 'worktree'>;
  /** What the program is called in the image. */
  program: string;
  tmp: string;
  /** Folders beside its own that its repository reads. */
  reads?: readonly string[] | undefined;
}>;

/** These are about the machine; the image has its own. */
const OF_THE_MACHINE = /^(PATH|HOME|USER|LOGNAME|SHELL|XDG_\w+)$/;

export function inContainer(launch: Launch, container: ContainerSettings, inside: Inside): AgentLaunch {
  const { program, image, network } = container;
  const name = `holdfast-${inside.run.id.slice(-12)}-${newId().slice(-6)}`.toLowerCase();
  // Only who is nobody special has an id to keep.
  const isRootless = program === 'podman' && process.getuid?.() !== 0;
  const variables = [
    ...Object.keys(launch.env).filter((each) => !OF_THE_MACHINE.test(each)),
    launch.mark.name,
  ];
  return {
    ...launch,
    program,
    args: [
      'run',
      '--rm',
      '--interactive',
      '--name',
      name,
      '--label',
      `holdfast.run=${inside.run.id}`,
      ...networkOf(network),
      '--cap-drop',
      'all',
      '--security-opt',
      'no-new-privileges',
      ...(isRootless ? ['--userns', 'keep-id'] : ['--user', `${process.getuid?.()}:${process.getgid?.()}`]),
      ...mountsOf(inside, container.mounts).flatMap((mount) => ['--volume', volume(mount)]),
      '--workdir',
      inside.run.cwd,
      // By name: no value stands on a command line.
      ...variables.toSorted().flatMap((each) => ['--env', each]),
      image,
      inside.program,
      ...launch.args,
    ],
    hint: `${program} has to be on the hub's PATH, and the image ${image} has to be there.`,
    // Podman would wait for ten seconds by itself.
    leave: [program, 'rm', '--force', ...(program === 'podman' ? ['--time', '0'] : []), name],
  };
}

/** How often a removal is tried: it meets the container while it is still being started or ended, and processes of an attempt are ended. */
const TRIES = 5;
const BETWEEN_MS = 300;

/** Whoever kills the program that started a container leaves the container. */
export async function leaveContainer({ leave, cwd, env, mark, hint }: AgentLaunch): Promise<void> {
  if (!leave) return;
  const [program, ...args] = leave;
  const rm = { program: program!, args, cwd, env, mark, input: null, ...(hint !== undefined && { hint }) };
  for (let tries = 1; tries <= TRIES; tries += 1) {
    let said = '';
    const hear = (chunk: Buffer) => void (said = (said + chunk.toString()).slice(-4_096));
    const exit = await startProcess(rm, { stdout: () => undefined, stderr: hear }).then(
      ({ exited }) => exited,
      () => undefined,
    );
    if (exit === undefined || exit.code === 0 || /no such container/i.test(said)) return;
    await pause(BETWEEN_MS);
  }
}

function networkOf(network: ContainerSettings['network']): readonly string[] {
  if (network === true) return [];
  return ['--network', network === false ? 'none' : network];
}

/** A worktree is of no use without the repository that holds its branch. */
function mountsOf(
  { run: { cwd, worktree }, tmp, reads = [] }: Inside,
  named: readonly ContainerMount[],
): readonly ContainerMount[] {
  const own = [cwd, tmp, ...(worktree ? [join(worktree.repository, '.git')] : [])];
  const at = (isReadOnly: boolean) => (path: string) => ({ from: path, to: path, isReadOnly });
  return [...own.map(at(false)), ...reads.map(at(true)), ...named];
}

const volume = ({ from, to, isReadOnly }: ContainerMount): string =>
  `${from}:${to}${isReadOnly ? ':ro' : ''}`;
