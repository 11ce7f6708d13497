/** Answers with the icon of an application, at `/web/icons/<app id>`. */
import { Failure } from '../../../store/model/failure.js'
import type { Node } from '../../node.js'
import { appOf, type App } from '../../register/appDirectory.js'
import { pagesRoot } from '../links.js'
import { iconsOf } from './icons.js'

/** Drawings may hold scripts and links: opened as a page of its own, an icon runs and loads nothing. */
const headers = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** An application of the operator's directory; undefined when it has no such entry, or one that is put out of use. */
export async function listedApp(node: Node, id: string): Promise<App | undefined> {
  try {
    const app = await appOf(node, id)
    return app.active === false ? undefined : app
  } catch (error) {
    if (error instanceof Failure && error.id === 'unknown-resource') return undefined
    throw error
  }
}

/** The path of an application's icon; undefined when there is nothing to show. */
export const iconPath = (node: Node, app: App): string | undefined =>
  iconsOf(node).mayHave(app) ? `${pagesRoot(node)}/icons/${encodeURIComponent(app.id)}` : undefined

/** The icon of an application of the directory, or 404. */
export async function iconAnswer(node: Node, id: string): Promise<Response> {
  const app = await listedApp(node, id)
  const image = app === undefined ? undefined : await iconsOf(node).of(app)
  if (image === undefined) return new Response('Not found', { status: 404, headers })
  return new Response(image.bytes, {
    headers: { ...headers, 'Content-Type': image.type, 'Cache-Control': 'private, max-age=3600' },
  })
}
