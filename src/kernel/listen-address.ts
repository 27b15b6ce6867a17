import { HubError } from './errors.ts';

/**
 * `:8080` is every address of the machine, as other servers read it. `name` is what the caller knows the text
 * by.
 */
export function readListenAddress(text: string, name: string): Readonly<{ host: string; port: string }> {
  const [, inBrackets, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([\w.-]*)):(\d{1,5})$/i.exec(text) ?? [];
  if (port === undefined)
    throw new HubError(
      'invalid',
      `${name} must look like 127.0.0.1:8080 or :8080; got ${JSON.stringify(text)}.`,
    );
  return { host: inBrackets ?? (plain || '0.0.0.0'), port };
}
