import { HubError } from '../../../kernel/errors.ts';

/** A document as text, with the library that read it. */
export type DocumentText = Readonly<{
  format: string;
  engine: string;
  text: string;
  sheets?: readonly string[];
}>;

export function damaged(name: string, kind: string, cause?: unknown): HubError {
  return new HubError('invalid', `${name} is not a readable ${kind}.`, { denied: 'file:damaged' }).because(
    cause,
  );
}
