import { unlessUnknown } from '../../../kernel/errors.ts';
import type { Principal } from '../../../kernel/principal.ts';
import { type Acting, byRoute } from '../../../store/calls.ts';
import type { Hooks } from '../hooks/hooks.ts';
import { asText, type Json } from '../frames/common.ts';
import type { Broker } from '../../broker/broker.ts';
import type { Dispatch } from '../dispatch.ts';
import type { Orders } from '../start/orders.ts';
import type { Run } from '../run.ts';
import { A2aError } from './errors.ts';

/** What the methods of A2A stand on, and one call of them. */
export type A2aParts = Readonly<{
  acting: Acting;
  dispatch: Dispatch;
  orders: Orders;
  broker: Broker;
  hooks: Pick<Hooks, 'at' | 'in'>;
}>;

export type A2aCall = Readonly<{ who: Principal; params: Json; signal: AbortSignal }>;

/** The run that a call is about: `id` of most methods, `taskId` of those about its push notifications. */
export async function find(
  { dispatch }: Pick<A2aParts, 'dispatch'>,
  { who, params }: Pick<A2aCall, 'who' | 'params'>,
  field: 'id' | 'taskId' = 'id',
): Promise<Run> {
  const id = asText(params[field]);
  if (!id) throw new A2aError('invalid', `${field} is required.`);
  const found = await dispatch.get(byRoute(who, 'a2a'), id).catch(unlessUnknown);
  if (!found) throw new A2aError('taskNotFound', 'Task not found');
  return found;
}
