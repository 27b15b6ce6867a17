/** One thing that `doctor` looked at. `warn` works but should not stay so; `fail` will not work. */
export type Finding = Readonly<{
  check: string;
  state: 'ok' | 'warn' | 'fail';
  found: string;
  mend?: string;
  fix?: Fix;
}>;

/** What `doctor --fix` does about it; `shown` says so before. */
export type Fix = Readonly<{ shown: string; run(): void }>;
