/**
 * The person who runs the hub is kept under the name of the way they came: `user` says and writes, `operator` and `local` do,
 * with their kind before it in the audit. To themselves they are `you`, to everybody else the operator.
 */
const PERSON: ReadonlySet<string> = new Set([
  'user',
  'person',
  'operator',
  'local',
  'operator:operator',
  'local:local',
]);

export function isPersonName(name: string): boolean {
  return PERSON.has(name);
}

/** As agents and other people read it. */
export function calledByOthers(name: string): string {
  return isPersonName(name) ? 'operator' : name;
}

/** As the person reads it. */
export function calledByPerson(name: string): string {
  return isPersonName(name) ? 'you' : name;
}
