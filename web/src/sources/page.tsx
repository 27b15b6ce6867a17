export function SourcesPage() { return null; }
