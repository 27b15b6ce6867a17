/** How menus look; what they do is the library's. */
export const MENU =
  'arrives bg-raised border-edge z-50 max-h-[70vh] min-w-44 max-w-72 overflow-y-auto rounded-one border p-1 shadow-drawer';
export const MENU_ITEM =
  'flex h-7 items-center gap-2 rounded px-2 outline-none data-[highlighted]:bg-sunken data-[disabled]:text-faint cursor-default select-none';
