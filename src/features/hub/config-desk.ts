// config.yaml from the page: what would change is shown first, and only what was shown is written.
import { join } from 'node:path';
import type { Config } from '../../kernel/config.ts';
import { type ConfigChange, editConfigText, maskConfigText } from '../../kernel/config-text.ts';
import { sha256 } from '../../kernel/digest.ts';
import { HubError } from '../../kernel/errors.ts';
import { ensurePrivateFolder } from '../../kernel/home.ts';
import { readIfThere } from '../../kernel/maybe-file.ts';
import { type Principal, requireOperator } from '../../kernel/principal.ts';
import { redact } from '../../kernel/redact.ts';
import { replaceFile } from '../../kernel/replace-file.ts';
import { SETTINGS, type Setting } from '../../kernel/settings.ts';

type ConfigParts = Readonly<{
  config: Pick<Config, 'home' | 'agents'>;
  /** Throws what a hub would say when it starts with this text. */
  check(text: string): Promise<unknown>;
}>;

export type ConfigDesk = ReturnType<typeof createConfigDesk>;

export function createConfigDesk({ config, check }: ConfigParts) {
  const path = join(config.home, 'config.yaml');

  const read = (): string => readIfThere(path) ?? '';

  async function draft(text: string, changes: readonly ConfigChange[]): Promise<string> {
    for (const { path: at } of changes) requireKnown(at);
    const after = await editConfigText({ path, text }, changes);
    await check(after);
    return after;
  }

  return {
    /** The agents that config.yaml names. Of their variables only the names: values are for the programs alone. */
    agents(who: Principal) {
      requireOperator(who, 'Reading the agents of config.yaml', 'Use `holdfast config get agents`');
      return Object.entries(config.agents).map(([name, agent]) => ({
        name,
        family: agent.family,
        command: agent.command === undefined ? null : [...agent.command],
        model: agent.model ?? null,
        mode: agent.mode,
        cwd: agent.cwd ?? null,
        enabled: agent.enabled,
        env: Object.keys(agent.env),
      }));
    },

    async preview(who: Principal, changes: readonly ConfigChange[]) {
      requireOperator(who, 'Changing settings', 'Use `holdfast config set`');
      const text = read();
      const after = await draft(text, changes);
      const [before, shown] = await Promise.all([maskConfigText(text), maskConfigText(after)]);
      return { path, version: sha256(text), before: redact(before), after: redact(shown) };
    },

    async apply(who: Principal, changes: readonly ConfigChange[], version: string) {
      requireOperator(who, 'Changing settings', 'Use `holdfast config set`');
      const text = read();
      const after = await draft(text, changes);
      // Nothing waits between this second look and the writing: what was shown is what is changed.
      if (sha256(text) !== version || read() !== text)
        throw new HubError('conflict', `${path} was changed since you looked.`, {
          hint: 'Look at what would change now, and apply that.',
        });
      ensurePrivateFolder(config.home);
      replaceFile(path, after);
      return { path, version: sha256(after) };
    },
  };
}

/** One setting, or something of an agent. Sources, policy and the rest have operations of their own. */
function requireKnown(at: readonly string[]): void {
  const isAgent = at[0] === 'agents' && at.length >= 2;
  const key = at.join('.');
  const isSetting = Object.values<Setting<unknown>>(SETTINGS).some((each) => each.key === key);
  // Whose sessions are read is for a person to say, here as with `holdfast setup --sessions`.
  if (isAgent || isSetting || key === 'sessions.from') return;
  throw new HubError('invalid', `${JSON.stringify(key.slice(0, 100))} is no setting and no agent.`, {
    hint: '`holdfast config show --all` shows every setting.',
  });
}
