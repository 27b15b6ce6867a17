/** How often a client is asked again that asked its model before its servers had answered, as happens on a busy machine. */
export const PATIENCE = 5;

export function expect(isTrue, what, { said }) {
  if (!isTrue) throw new Error(`${what}: no.\n${said.slice(-4000)}`);
}
