/** Signing out is for the whole browser: every tab forgets what it fetched as the person. */
const channel = new BroadcastChannel('holdfast-session');

export function tellSignedOut(): void {
  channel.postMessage('signed out');
  location.reload();
}

export function heedSignOut(): void {
  channel.addEventListener('message', () => location.reload());
}
