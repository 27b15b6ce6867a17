/** What `make` answers, made when somebody asks for the first time and kept. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
