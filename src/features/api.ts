// What every route of the hub takes and answers: read by the command line, the page, hooks, tests and programs. Types only.
import type { ApiOf } from '../operation/client.ts';
import type { keyOperations, seatOperations, tokenOperations } from './access/operations.ts';
import type { beingOperations } from './being/operations.ts';
import type { brainOperations } from './brain/operations.ts';
import type { chatOperations } from './chat/operations.ts';
import type { memoryOperations } from './memory/operations.ts';
import type { projectOperations } from './projects/operations.ts';
import type { reservationOperations } from './reservations/operations.ts';

export type Api = ApiOf<
  (
    | typeof beingOperations
    | typeof brainOperations
    | typeof chatOperations
    | typeof keyOperations
    | typeof memoryOperations
    | typeof projectOperations
    | typeof reservationOperations
    | typeof seatOperations
    | typeof tokenOperations
  )[number]
>;
