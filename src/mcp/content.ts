/** Blocks a tool or prompt may answer with beside plain text. Named as on the wire. */
type TextBlock = Readonly<{ type: 'text'; text: string; annotations?: BlockAnnotations }>;

export type ContentBlock =
  | TextBlock
  | Readonly<{ type: 'image' | 'audio'; data: string; mimeType: string; annotations?: BlockAnnotations }>
  | Readonly<{
      type: 'resource_link';
      uri: string;
      name: string;
      title?: string;
      description?: string;
      mimeType?: string;
    }>
  | Readonly<{ type: 'resource'; resource: ResourceContents; annotations?: BlockAnnotations }>;

type BlockAnnotations = Readonly<{ audience?: readonly ('user' | 'assistant')[]; priority?: number }>;

export type ResourceContents = Readonly<
  { uri: string; mimeType?: string } & ({ text: string } | { blob: string })
>;
