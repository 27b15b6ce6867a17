export function BeingsPage() { return null; }
