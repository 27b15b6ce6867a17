import { Refusal } from '../api/call.ts';

/** Refused for what a check of the task lacks: a person may say why it is done all the same. */
export function isUnproven(error: unknown): boolean {
  return error instanceof Refusal && /check|evidence|verif/i.test(`${error.message} ${error.hint}`);
}
