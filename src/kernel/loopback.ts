const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** Is this host, with or without a port, the machine itself? */
export function isLoopbackName(host: string): boolean {
  return LOOPBACK_NAME.test(host) || host === '::1';
}
