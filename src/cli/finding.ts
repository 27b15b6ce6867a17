/** One thing that `doctor` looked at. `warn` works but should not stay so; `fail` will not work. */
export type Finding = Readonly<{
  check: string;
  state: 'ok' | 'warn' | 'fail';
  found: string;
  mend?: string;
}>;
