export function BrainPage() { return null; }
