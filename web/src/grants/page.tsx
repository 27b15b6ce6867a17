export function GrantsPage() { return null; }
