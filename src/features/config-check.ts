import { readNoticeSettings } from './notices/settings.ts';
import { readSessionSettings } from './sessions/settings.ts';
import { readEntries } from './sources/config/settings.ts';
import { type Environment, resolveConfig } from '../kernel/config.ts';
import { HubError } from '../kernel/errors.ts';

export type ConfigCount = Readonly<
  Record<'settings' | 'agents' | 'projects' | 'sources' | 'receivers', number>
>;

type Draft = Readonly<{ text: string; env: Environment; home?: string }>;

/** Throws what a hub would say when it starts with this. */
export async function checkConfigText({ text, env, home }: Draft): Promise<ConfigCount> {
  const place = home === undefined ? {} : { home };
  const { said, agents, projects, notices, sessions } = await resolveConfig({ env, draft: text, ...place });
  const { to } = readNoticeSettings(notices);
  readSessionSettings(sessions);
  const { readYaml } = await import('../kernel/yaml-text.ts');
  const entries = text.trim() === '' ? [] : readEntries(readYaml(text));
  for (const entry of entries) if ('problem' in entry) throw badSource(entry.name, entry.problem);
  return {
    settings: said.filter(({ from }) => from === 'config.yaml').length,
    agents: Object.keys(agents).length,
    projects: Object.keys(projects).length,
    sources: entries.length,
    receivers: Object.keys(to).length,
  };
}

function badSource(name: string, problem: string): HubError {
  return new HubError('invalid', `sources.${name} in config.yaml: ${problem}`, {
    hint: 'See docs/guides/sources.md.',
  });
}
