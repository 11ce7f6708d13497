/** @jsxImportSource hono/jsx */
/** Icons of the console: strokes on a grid of 24, in the colour of the text. */

const paths = {
  home: 'M4 11.5 12 5l8 6.5M6.5 10v9h11v-9M10 19v-5h4v5',
  list: 'M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01',
  chart: 'M4 4v16h16M8 15l3.5-4 3 2.5L20 7',
  file: 'M7 3.5h7l4 4v13H7zM14 3.5v4h4',
  people: 'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM3.5 19a5.5 5.5 0 0 1 11 0M16 5.5a3 3 0 0 1 0 5.5M17.5 14.5A5.5 5.5 0 0 1 20.5 19',
  devices: 'M4 5h12v9H4zM8 18h4M10 14v4M18 9h3v10h-5v-3',
  clock: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16ZM12 8v4.5l3 1.8',
  gear: 'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M18.4 5.6l-2.1 2.1M7.7 16.3l-2.1 2.1',
  server: 'M4 5h16v6H4zM4 13h16v6H4zM8 8h.01M8 16h.01',
  menu: 'M4 7h16M4 12h16M4 17h16',
  plus: 'M12 5v14M5 12h14',
  folder: 'M3.5 6.5h6l2 2h9v10h-17z',
  search: 'M11 17a6 6 0 1 0 0-12 6 6 0 0 0 0 12ZM15.5 15.5 20 20',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  link: 'M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 5.7 5.7L12 17',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l1 12.5h8L17 7',
  download: 'M12 4v11M7.5 11 12 15.5 16.5 11M5 19.5h14',
  camera: 'M4 8h4l1.5-2.5h5L16 8h4v11H4zM12 16.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z',
  warning: 'M12 4 3 19.5h18zM12 10v4.5M12 17.2h.01',
  check: 'm5 12.5 4.5 4.5L19 7.5',
} as const

export type Icon = keyof typeof paths

/** Renders an icon. It has no text: the element around it names what it means. */
export const IconImage = ({ name }: { name: Icon }) => (
  <svg class="icon" viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)

/** Renders the mark of the product. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="#0b5cad" />
    <path d="M7 14a4 4 0 0 1 4-4h10a4 4 0 0 1 4 4v9H7z" fill="#fff" />
    <path d="M7 16.5h18" stroke="#0b5cad" stroke-width="1.5" />
    <circle cx="16" cy="16.5" r="2.6" fill="#fff" stroke="#0b5cad" stroke-width="1.5" />
  </svg>
)
