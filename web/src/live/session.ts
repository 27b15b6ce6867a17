/** Signing out is for the whole browser: every tab forgets what it fetched as the person. */
const port = new BroadcastChannel('holdfast-session');

export function tellSignedOut(): void {
  port.postMessage('signed out');
  location.reload();
}

export function heedSignOut(): void {
  port.addEventListener('message', () => location.reload());
}
