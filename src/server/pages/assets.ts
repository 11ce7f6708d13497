/**
 * The style sheet and the script of the pages. Their names contain a digest of the content, so browsers may cache them
 * without a time limit.
 */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { script } from './script.js'
import { style } from './style.js'

interface Asset {
  /** Path below the root of the pages. */
  path: string
  type: string
  text: string
  gzipped: Buffer
}

function asset(name: string, ending: string, type: string, text: string): Asset {
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 10)
  return { path: `/assets/${name}-${digest}.${ending}`, type: `${type}; charset=utf-8`, text, gzipped: gzipSync(text) }
}

export const styleAsset = asset('pages', 'css', 'text/css', style.trim())
export const scriptAsset = asset('pages', 'js', 'text/javascript', script.trim())

export const assetAt = (path: string): Asset | undefined =>
  [styleAsset, scriptAsset].find((each) => each.path === path)
