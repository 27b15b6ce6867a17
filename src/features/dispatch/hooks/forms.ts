import { streamResponseOf } from '../a2a/task.ts';
import type { StoredEvent } from '../rows/events.ts';
import type { Hook } from '../rows/hooks.ts';
import type { Run } from '../run.ts';

/** What is posted for one batch of events: ours in one body, or a message of A2A for each. */
type Delivery = Readonly<{ body: string; headers: Readonly<Record<string, string>> }>;

export function deliveriesOf(hook: Hook, run: Run, events: readonly StoredEvent[]): Delivery[] {
  if (events.length === 0) return [];
  if (hook.form === 'json') return [{ body: ownBody(run.id, events), headers: {} }];
  const headers = { 'content-type': 'application/a2a+json', ...proofOf(hook) };
  return events
    .map((event) => streamResponseOf(run, event.kind, JSON.parse(event.data) as object))
    .filter((response) => response !== undefined)
    .map((response) => ({ body: JSON.stringify(response), headers }));
}

function ownBody(runId: string, events: readonly StoredEvent[]): string {
  const told = events.map(
    ({ id, kind, data }) => `{"id":${id},"event":${JSON.stringify(kind)},"data":${data}}`,
  );
  return `{"task_id":${JSON.stringify(runId)},"events":[${told.join(',')}]}`;
}

/** As the client of A2A asked for it: credentials of a scheme, else its token. */
function proofOf({ auth }: Hook): Record<string, string> {
  if (auth?.scheme && auth.credentials) return { authorization: `${auth.scheme} ${auth.credentials}` };
  return auth?.token ? { 'x-a2a-notification-token': auth.token } : {};
}
