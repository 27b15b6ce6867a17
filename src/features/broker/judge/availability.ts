/**
 * What must be there before a tool can work. A tool whose requirement is not met is absent from every list.
 */
export type Requirement =
  | Readonly<{ auth: string }>
  | Readonly<{ config: string }>
  | Readonly<{ env: string }>
  | Readonly<{ plugin: string }>
  | Readonly<{ allOf: readonly Requirement[] }>
  | Readonly<{ anyOf: readonly Requirement[] }>
  /**
   * Counts like the one inside, but is never named as missing: the documented diagnostics stay as they are.
   */
  | Readonly<{ unlisted: Requirement }>;

/** The surroundings a requirement is judged against. */
export type ToolSurroundings = Readonly<{
  hasAuth(provider: string): boolean;
  hasConfig(key: string): boolean;
  hasEnv(name: string): boolean;
  hasPlugin(name: string): boolean;
}>;

export type Availability = Readonly<{ visible: boolean; diagnostics: readonly string[] }>;

const VISIBLE: Availability = { visible: true, diagnostics: [] };

export function judgeAvailability(
  requirement: Requirement | undefined,
  around: ToolSurroundings,
): Availability {
  if (requirement === undefined) return VISIBLE;
  if ('auth' in requirement) return met(around.hasAuth(requirement.auth), `auth-missing:${requirement.auth}`);
  if ('config' in requirement)
    return met(around.hasConfig(requirement.config), `config-missing:${requirement.config}`);
  if ('env' in requirement) return met(around.hasEnv(requirement.env), `env-missing:${requirement.env}`);
  if ('plugin' in requirement)
    return met(around.hasPlugin(requirement.plugin), `plugin-disabled:${requirement.plugin}`);
  if ('unlisted' in requirement)
    return { ...judgeAvailability(requirement.unlisted, around), diagnostics: [] };
  const isAll = 'allOf' in requirement;
  const parts = (isAll ? requirement.allOf : requirement.anyOf).map((part) =>
    judgeAvailability(part, around),
  );
  const visible = isAll ? parts.every((part) => part.visible) : parts.some((part) => part.visible);
  return visible ? VISIBLE : { visible, diagnostics: parts.flatMap((part) => part.diagnostics) };
}

function met(visible: boolean, diagnostic: string): Availability {
  return visible ? VISIBLE : { visible, diagnostics: [diagnostic] };
}

/**
 * An environment and what else is configured, as surroundings. A provider is authed by `<PROVIDER>_API_KEY`
 * or a stored secret.
 */
export function surroundingsOf(parts: {
  env: Readonly<Record<string, string | undefined>>;
  secrets?: ReadonlySet<string>;
  config?: ReadonlySet<string>;
  plugins?: ReadonlySet<string>;
}): ToolSurroundings {
  const { env, secrets = new Set(), config = new Set(), plugins = new Set() } = parts;
  return {
    hasAuth: (provider) => secrets.has(provider) || Boolean(env[`${provider.toUpperCase()}_API_KEY`]),
    hasConfig: (key) => config.has(key),
    hasEnv: (name) => Boolean(env[name]),
    hasPlugin: (name) => plugins.has(name),
  };
}
