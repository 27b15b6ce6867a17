/**
 * Subcommands whose options and operands we know well enough to allow them with others: they look at the
 * repository or run what the project itself defines, and with these options they neither write elsewhere nor
 * read elsewhere nor run another program. Interpreters, and what reads or removes any path it is given
 * (`cat`, `find`, `rm`), have no place here.
 */
export type KnownSubcommand = Readonly<{ name: readonly string[]; options: RegExp; takes?: 'script' }>;

const NONE = /^(?!)/;

/**
 * Subcommands that reach a remote of the repository: never offered for every remote, and only with names of branches and tags
 * after it. With these options they force, delete and run nothing.
 */
export const REMOTE_SUBCOMMANDS: readonly Pick<KnownSubcommand, 'name' | 'options'>[] = [
  { name: ['git', 'push'], options: /^(?:-[uvq]|--set-upstream|--dry-run|--verbose|--quiet)$/ },
  { name: ['git', 'fetch'], options: /^(?:-[vqp]|--prune|--tags|--verbose|--quiet)$/ },
];

function known(names: string, options: RegExp = NONE, takes?: 'script'): KnownSubcommand[] {
  return names.split(', ').map((name) => ({ name: name.split(' '), options, ...(takes && { takes }) }));
}

export const SUBCOMMANDS: readonly KnownSubcommand[] = [
  ...known(
    'git status',
    /^(?:-[sbvuz]{1,4}|-u(?:no|normal|all)|--(?:short|branch|long|show-stash|ignored|porcelain(?:=v[12])?))$/,
  ),
  ...known(
    'git log',
    /^(?:-\d{1,6}|-n\d{0,6}|-p|--(?:oneline|stat|graph|all|decorate|reverse|merges|no-merges|name-only|name-status|patch|follow))$/,
  ),
  ...known(
    'git diff, git show',
    /^(?:-w|-b|-U\d{1,4}|--(?:stat|shortstat|cached|staged|name-only|name-status|word-diff|check|no-color))$/,
  ),
  ...known('git ls-files', /^(?:-[cdmosz]{1,6}|--(?:cached|deleted|modified|others|exclude-standard))$/),
  ...known('git blame', /^(?:-w|-L\d{1,7},\d{1,7}|--(?:date=(?:short|iso|relative)))$/),
  ...known('git add', /^(?:-A|-u|-v|--(?:all|update|verbose))$/),
  ...known('npm test, pnpm test, yarn test'),
  ...known('npm run, pnpm run, yarn run', NONE, 'script'),
  ...known(
    'cargo build, cargo check, cargo test, cargo clippy',
    /^(?:-q|-v|-p|--(?:release|workspace|all-targets|all-features|lib|bins|tests|examples|locked|offline|quiet|verbose))$/,
  ),
  ...known('cargo fmt', /^--(?:check|all)$/),
  ...known('go build, go test, go vet', /^(?:-v|-race|-short|-cover|-count=\d{1,4})$/),
];
