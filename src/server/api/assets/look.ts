/** Icon of the node, and a style sheet for apps with the same look. */
import * as z from 'zod'
import { anybody } from '../../call/callers.js'
import { platformMethod } from '../../call/method.js'
import { KEEP_ASSETS } from './definitions.js'

const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#0b5cad"/>
<path d="M7 14a4 4 0 0 1 4-4h10a4 4 0 0 1 4 4v9H7z" fill="#fff"/>
<path d="M7 16.5h18" stroke="#0b5cad" stroke-width="1.5"/>
<circle cx="16" cy="16.5" r="2.6" fill="#fff" stroke="#0b5cad" stroke-width="1.5"/>
</svg>
`

export const favicon = platformMethod({
  id: 'assets.favicon',
  summary: 'Reads the icon of the node.',
  http: {
    verb: 'GET',
    path: '/assets/favicon.svg',
    aliases: ['/favicon.ico'],
    rawText: 'image/svg+xml',
    cacheSeconds: KEEP_ASSETS,
  },
  caller: anybody,
  input: z.unknown(),
  output: () => z.object({ text: z.string().describe('The icon as SVG.') }),
  fails: [],
  run: () => ({ text: FAVICON }),
})

const STYLES = `:root {
  color-scheme: light dark;
}
body {
  font-family: system-ui, sans-serif;
  line-height: 1.5;
}
`

export const defaultStyles = platformMethod({
  id: 'assets.css',
  summary: 'Reads the style sheet of the node, for apps.',
  http: { verb: 'GET', path: '/assets/default.css', rawText: 'text/css', cacheSeconds: KEEP_ASSETS },
  caller: anybody,
  input: z.unknown(),
  output: () => z.object({ text: z.string().describe('The style sheet.') }),
  fails: [],
  run: () => ({ text: STYLES }),
})
