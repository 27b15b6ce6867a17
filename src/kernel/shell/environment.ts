import { redact } from '../redact.ts';

/**
 * What a command may know of the hub's environment, by name: who and where it is, how it speaks, where tools
 * lie. A list of secret names would have to know every one of them; what is not here does not pass, unless
 * the operator names it.
 */
const KNOWN: ReadonlySet<string> = new Set(
  `
    PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TEMP TMP HOSTNAME COLUMNS LINES NO_COLOR FORCE_COLOR CI
    XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_DATA_DIRS XDG_CONFIG_DIRS
    http_proxy https_proxy no_proxy all_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY
    SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE NODE_EXTRA_CA_CERTS GIT_SSL_CAINFO
    GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
    NODE_ENV NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR PNPM_HOME BUN_INSTALL DENO_DIR COREPACK_HOME
    VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT PIPX_HOME UV_CACHE_DIR PYTHONUTF8 PYTHONIOENCODING
    JAVA_HOME JDK_HOME GRADLE_HOME GRADLE_USER_HOME MAVEN_HOME M2_HOME ANDROID_HOME ANDROID_SDK_ROOT KOTLIN_HOME SDKMAN_DIR
    GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOPROXY GOFLAGS CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN CARGO_TARGET_DIR
    RBENV_ROOT GEM_HOME GEM_PATH BUNDLE_PATH COMPOSER_HOME DOTNET_ROOT NUGET_PACKAGES
    PKG_CONFIG_PATH CC CXX CFLAGS CXXFLAGS LDFLAGS MAKEFLAGS CMAKE_PREFIX_PATH
    HOMEBREW_PREFIX HOMEBREW_CELLAR HOMEBREW_REPOSITORY NIX_PATH NIX_PROFILES
    SYSTEMROOT SystemRoot COMSPEC PATHEXT USERPROFILE APPDATA LOCALAPPDATA PROGRAMFILES NUMBER_OF_PROCESSORS
  `
    .trim()
    .split(/\s+/),
);
const LOCALE = /^LC_[A-Z]{1,20}$/;

/** Ways to slip code into every program a shell starts, and what is ours: these pass for nobody. */
const NEVER =
  /^(?:LD_.*|DYLD_.*|NODE_OPTIONS|BASH_ENV|ENV|PROMPT_COMMAND|PYTHONSTARTUP|PERL5OPT|RUBYOPT|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF|(?:HOLDFAST|CLAWBOO|CLAWTOOL)_.*)$/;

/**
 * A value that holds a secret stays behind even under a known name; one the operator named passes as it is.
 */
export function commandEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  named: readonly string[] = [],
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || NEVER.test(name)) continue;
    const isKnown = (KNOWN.has(name) || LOCALE.test(name)) && redact(value) === value;
    if (isKnown || named.includes(name)) kept[name] = value;
  }
  return { ...kept, TERM: 'dumb', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' };
}
