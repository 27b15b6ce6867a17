export function RoomsPage() { return null; }
