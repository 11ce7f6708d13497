/** Serves the icon of an application at `/web/icons/<app id>`. */
import type { Context } from '../../call/context.js'
import { findApp, type App } from '../../api/register/appDirectory.js'
import { pagesRoot } from '../links.js'
import { iconsOf } from './icons.js'

/** SVG images may contain scripts and links, so an icon opened as a page must not run or load anything. */
const headers = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** Returns the path of an application's icon; undefined when there is none. */
export const iconPath = (node: Context, app: App): string | undefined =>
  iconsOf(node).mayHave(app) ? `${pagesRoot(node)}/icons/${encodeURIComponent(app.id)}` : undefined

/** Returns the response with the icon of a listed application, or 404. */
export async function iconAnswer(node: Context, id: string): Promise<Response> {
  const app = await findApp(node, id)
  const image = app === undefined ? undefined : await iconsOf(node).of(app)
  if (image === undefined) return new Response('Not found', { status: 404, headers })
  return new Response(image.bytes, {
    headers: { ...headers, 'Content-Type': image.type, 'Cache-Control': 'private, max-age=3600' },
  })
}
