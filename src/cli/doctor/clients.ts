import { existsSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { packageRoot } from '../../features/attach/attach.ts';
import { SERVER_IDS, type ServerKey } from '../../features/attach/attachment.ts';
import { holdfastCommand } from '../../features/attach/entry.ts';
import { type ClientTarget, legible } from '../../features/attach/files/connection.ts';
import {
  allReceipts,
  dropReceipt,
  keepCopy,
  readText,
  writeText,
} from '../../features/attach/files/receipts.ts';
import { type Runtime, RUNTIMES } from '../../features/attach/runtimes.ts';
import { toHubError } from '../../kernel/errors.ts';
import { ensurePrivateFolder } from '../../kernel/home.ts';
import { renderDiff } from '../terminal/diff.ts';
import type { Finding } from './finding.ts';
import { HOOK_CLIENTS } from '../../features/attach/hooks/moments.ts';
import { clientsHere } from '../setup/steps.ts';
import { type Premises, clientTarget, hookTarget, serviceTarget, targetAt } from '../setup/targets.ts';

/**
 * What stands of ours in the files of others: legible, and leading to a program that is there. Looks only.
 */
export function examineSettings(around: Premises): Finding[] {
  const problems: Finding[] = [];
  const connected = new Set<Runtime>();
  for (const client of RUNTIMES) {
    const user = clientTarget(client, around);
    for (const [server, id] of Object.entries(SERVER_IDS) as [ServerKey, string][]) {
      const target = { ...user, id, name: `${client}-${server}` };
      const { entry, problem } = lookAt(target, 'settings');
      if (entry !== undefined) connected.add(client);
      if (problem && !problems.some(({ found }) => found === problem.found)) problems.push(problem);
    }
  }
  problems.push(...lostReceipts(around));
  if (problems.length > 0) return problems;
  const loose = clientsHere(around).filter((client) => !connected.has(client));
  const names = connected.size === 0 ? 'no client is connected' : `connected: ${[...connected].join(', ')}`;
  const others = loose.length === 0 ? '' : `; not: ${loose.join(', ')} (holdfast setup)`;
  return [{ check: 'settings', state: 'ok', found: `${names}${others}` }];
}

export function examineHooks(around: Premises): Finding[] {
  const looks = HOOK_CLIENTS.map((client) => ({ client, ...lookAt(hookTarget(client, around), 'hooks') }));
  const problems = looks.flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0) return problems;
  const having = looks.filter(({ entry }) => entry !== undefined).map(({ client }) => client);
  return [{ check: 'hooks', state: 'ok', found: having.length === 0 ? 'none' : having.join(', ') }];
}

export function examineService(around: Premises): Finding[] {
  const target = serviceTarget(around);
  if (!target) return [];
  const { entry, problem } = lookAt(target, 'service');
  return [problem ?? { check: 'service', state: 'ok', found: entry === undefined ? 'none' : target.file }];
}

type Look = Readonly<{ entry?: string | undefined; problem?: Finding }>;

function lookAt(target: ClientTarget, check: string): Look {
  const { file, text, under, id } = target;
  try {
    const whole = readText(file);
    const entry = whole === undefined ? undefined : legible(file, () => text.read(whole, [...under, id]));
    const dead = entry === undefined ? [] : pathsIn(entry).filter((path) => !existsSync(path));
    if (dead.length === 0) return { entry };
    return { entry, problem: deadEntry(target, check, { whole: whole!, entry: entry!, dead: dead[0]! }) };
  } catch (thrown) {
    const { message } = toHubError(thrown);
    return {
      problem: { check, state: 'fail', found: message, mend: 'Correct the file, or restore a copy of it.' },
    };
  }
}

type Dead = Readonly<{ whole: string; entry: string; dead: string }>;

/** The paths alone are put right: whatever else the entry says was somebody's decision. */
function deadEntry(target: ClientTarget, check: string, { whole, entry, dead }: Dead): Finding {
  const { file, id, name } = target;
  const alive = pathsIn(entry).reduce((text, path) => {
    const better = existsSync(path) ? path : successorOf(path);
    return better === undefined ? text : text.replaceAll(inQuotes(path), inQuotes(better));
  }, entry);
  const after = whole.replace(entry, () => alive);
  const found = `${file}: ${id === '' ? name : id} leads to ${dead}, which is not there`;
  if (after === whole)
    return { check, state: 'fail', found, mend: 'Run `holdfast setup`, or remove the entry.' };
  return {
    check,
    state: 'fail',
    found,
    mend: 'holdfast doctor --fix',
    fix: {
      shown: renderDiff(file, whole, after),
      run: () => {
        ensurePrivateFolder(target.home);
        // An earlier fix may have changed another entry of the same file.
        const now = readText(file) ?? whole;
        keepCopy(now, target, new Date());
        writeText(
          file,
          now.replace(entry, () => alive),
        );
      },
    },
  };
}

/** The same command in this installation. */
function successorOf(path: string): string | undefined {
  if (!path.endsWith('.js')) return holdfastCommand()[0];
  const own = join(packageRoot(), 'dist', 'bin', basename(path));
  return existsSync(own) ? own : undefined;
}

function inQuotes(path: string): string {
  return JSON.stringify(path).slice(1, -1);
}

/** Programs and scripts that an entry of ours calls: its strings, and the words of a command line in one. */
function pathsIn(entry: string): string[] {
  const strings = [...entry.matchAll(/"((?:[^"\\\n]|\\.)*)"|<string>([^<]*)<\/string>/g)].map(
    ([, quoted, tagged]) => tagged ?? unescaped(quoted!),
  );
  const words = strings.flatMap((text) =>
    text.includes(' hooks run ')
      ? [...text.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!)
      : [text],
  );
  return [...new Set(words)].filter((word) => isAbsolute(word) && /(\.js|\/node[\w.-]*)$/.test(word));
}

function unescaped(quoted: string): string {
  try {
    return JSON.parse(`"${quoted}"`) as string;
  } catch {
    return quoted;
  }
}

/** Receipts of files that somebody has removed since: there is nothing left to take back. */
function lostReceipts({ home }: Premises): Finding[] {
  return allReceipts(home)
    .filter(({ file }) => !existsSync(file))
    .flatMap(({ name, file }) => {
      const target = targetAt(name, file, home);
      if (!target) return [];
      const shown = `forget what was put into ${file}, which is gone`;
      const fix = { shown, run: () => dropReceipt(target) };
      const found = `${file} is gone, with what was put there`;
      return [{ check: 'settings', state: 'warn', found, mend: 'holdfast doctor --fix', fix } as const];
    });
}
