// What every route of the hub takes and answers: read by the command line, the page, hooks, tests and programs. Types only.
import type { ApiOf } from '../operation/client.ts';
import type { keyOperations, seatOperations, tokenOperations } from './access/operations.ts';
import type { chatOperations } from './chat/operations.ts';
import type { hookOperations } from './dispatch/hooks/operations.ts';
import type { runOperations } from './dispatch/operations.ts';
import type { SendApi } from './dispatch/routes.ts';
import type { workOperations } from './dispatch/work/operations.ts';
import type { memoryOperations } from './memory/operations.ts';
import type { projectOperations } from './projects/operations.ts';
import type { reservationOperations } from './reservations/operations.ts';

export type Api = SendApi &
  ApiOf<
    (
      | typeof chatOperations
      | typeof hookOperations
      | typeof keyOperations
      | typeof memoryOperations
      | typeof projectOperations
      | typeof reservationOperations
      | typeof runOperations
      | typeof seatOperations
      | typeof tokenOperations
      | typeof workOperations
    )[number]
  >;
