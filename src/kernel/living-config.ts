import { join } from 'node:path';
import { type Config, FROM_FILE, FROM_NOWHERE, resolveConfig, type SaidSetting } from './config.ts';
import { HubError } from './errors.ts';
import type { Log } from './log.ts';
import { stampOfFile } from './maybe-file.ts';

/**
 * config.yaml while a hub runs. Agents, projects and notices count as soon as they are written; what a hub is built on
 * (its port, its limits) counts from its next start, and whoever asks is told that it waits.
 */
export interface LivingConfig {
  readonly config: Config;
  /** Why the file is not followed; undefined while it can be read. */
  problem(): string | undefined;
  /** Every setting as this hub runs with it; `next` is what the file says by now. */
  settings(): readonly LivingSetting[];
  stop(): void;
}

type LivingSetting = SaidSetting & Readonly<{ next?: string | null }>;

const LOOK_MS = 1_000;

export function followConfig(started: Config, log: Log): LivingConfig {
  const path = join(started.home, 'config.yaml');
  let now = started;
  let problem: string | undefined;
  let seen = stampOfFile(path);

  async function look(): Promise<void> {
    const stamp = stampOfFile(path);
    if (stamp === seen) return;
    seen = stamp;
    try {
      now = await resolveConfig({ env: {}, home: started.home });
      problem = undefined;
      const waiting = settings().filter(({ next }) => next !== undefined);
      const late = waiting.map(({ key }) => key).join(', ');
      log.info(`config.yaml was read again.${late === '' ? '' : ` ${late}: from the next start on.`}`);
    } catch (error) {
      problem = error instanceof HubError ? error.message : String(error);
      log.warn(`config.yaml is not followed: ${problem}`);
    }
  }

  function settings(): readonly LivingSetting[] {
    const inFile = new Map(
      now.said.filter(({ from }) => from === FROM_FILE).map(({ key, text }) => [key, text]),
    );
    return started.said.map((said) => {
      const isFollowing = said.from === FROM_FILE || said.from === FROM_NOWHERE;
      const next = inFile.get(said.key);
      return now === started || !isFollowing || next === said.text ? said : { ...said, next: next ?? null };
    });
  }

  const timer = setInterval(() => void look(), LOOK_MS).unref();
  const config: Config = {
    ...started,
    get agents() {
      return now.agents;
    },
    get projects() {
      return now.projects;
    },
    get quiet() {
      return now.quiet;
    },
    get notices() {
      return now.notices;
    },
  };
  return { config, problem: () => problem, settings, stop: () => clearInterval(timer) };
}
