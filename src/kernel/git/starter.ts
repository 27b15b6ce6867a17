/**
 * To start a program the system copies the page tables of who starts it: a hub of 150 MB stands still for 4 ms, and a landing starts git
 * a dozen times. So a process that keeps nothing starts them instead, at a quarter of that, and the hub goes on meanwhile. It is there
 * while git is used and gone a while after. Until it is there, and wherever it is not, git is started from here.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { binEntry } from '../bin-entry.ts';
import { elapsed } from '../clock.ts';
import { type GitEnd, type GitStart, type NoEnd, startHere } from './start-here.ts';

export type StarterAsk =
  | Readonly<{ id: number; start: GitStart }>
  | Readonly<{ id: number; isUnwanted: true }>;
export type StarterAnswer = Readonly<{ id: number; end: GitEnd | NoEnd }>;

/** Who uses git so often within so long goes on using it. */
const OFTEN = 4;
const OFTEN_MS = 5_000;
const IDLE_MS = 20_000;

type Starter = Readonly<{ child: ChildProcess; waiting: Map<number, (end: GitEnd | NoEnd) => void> }>;

let starter: Starter | undefined;
let isReady = false;
let last = 0;
let idle: NodeJS.Timeout | undefined;
let recent: number[] = [];

export function startBeside(start: GitStart, signal?: AbortSignal): Promise<GitEnd | NoEnd> {
  if (starter && isReady) return ask(starter, start, signal);
  const now = elapsed();
  recent = [...recent.filter((at) => now - at < OFTEN_MS), now];
  if (!starter && recent.length >= OFTEN) starter = open();
  return startHere(start, signal);
}

function open(): Starter {
  const child = fork(binEntry('git-starter'), [], {
    execArgv: ['--no-warnings', '--max-semi-space-size=1'],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const waiting: Starter['waiting'] = new Map();
  const opened = { child, waiting };
  const leave = () => {
    if (starter?.child === child) [starter, isReady] = [undefined, false];
    for (const settle of waiting.values()) settle({ failed: 'EPIPE', message: 'Who started it is gone.' });
    waiting.clear();
  };
  child.on('error', leave);
  child.on('exit', leave);
  child.on('message', (told: StarterAnswer | 'ready') => {
    if (told === 'ready') isReady = starter?.child === child;
    else waiting.get(told.id)?.(told.end);
  });
  // It holds up nobody's end.
  child.unref();
  child.channel?.unref();
  return opened;
}

function ask(to: Starter, start: GitStart, signal: AbortSignal | undefined): Promise<GitEnd | NoEnd> {
  const { child, waiting } = to;
  last += 1;
  const id = last;
  const tell = (asked: StarterAsk) => child.send(asked, () => undefined);
  return new Promise((resolve) => {
    const unwanted = () => tell({ id, isUnwanted: true });
    waiting.set(id, (end) => {
      signal?.removeEventListener('abort', unwanted);
      waiting.delete(id);
      if (waiting.size === 0) child.channel?.unref();
      resolve(end);
    });
    closeLater(to);
    child.channel?.ref();
    tell({ id, start });
    if (signal?.aborted === true) unwanted();
    else signal?.addEventListener('abort', unwanted, { once: true });
  });
}

function closeLater(to: Starter): void {
  clearTimeout(idle);
  idle = setTimeout(() => close(to), IDLE_MS).unref();
}

/** It ends by itself when nobody is there any more; what it is at comes to its end first. */
function close(to: Starter): void {
  const { child, waiting } = to;
  if (waiting.size > 0) return closeLater(to);
  if (starter?.child === child) [starter, isReady] = [undefined, false];
  child.disconnect();
}
