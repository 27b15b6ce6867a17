import type { Behind } from '../../operation/faces.ts';
import type { Acting } from '../../store/calls.ts';
import type { BrokerDesk } from './ask/desk.ts';
import type { BrokerView } from './ask/view.ts';
import type { Broker } from './broker.ts';
import { approvalOperations } from './operations/approvals.ts';
import { auditOperations } from './operations/audit.ts';
import { policyOperations } from './operations/policy.ts';
import { toolOperations } from './operations/tools.ts';

/** What persons and programs do with the broker; agents reach it by calling tools. */
export const brokerOperations = [
  ...toolOperations,
  ...approvalOperations,
  ...auditOperations,
  ...policyOperations,
] as const;

export function behindBroker(acting: Acting, service: Broker): Behind<BrokerView, BrokerDesk, Broker> {
  return { tag: 'tools', acting, look: service.at, change: service.in, service };
}
