/**
 * Style sheets and scripts of the pages. Their names contain a digest of the content, so browsers may cache them without a time
 * limit.
 */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { script } from './script.js'
import { style } from './style.js'

export interface Asset {
  /** Path below the root of the pages. */
  path: string
  type: string
  text: string
  gzipped: Buffer
}

const assets = new Map<string, Asset>()

/** Creates an asset, which the router serves from then on. */
export function createAsset(name: string, ending: 'css' | 'js', content: string): Asset {
  const text = content.trim()
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 10)
  const type = ending === 'css' ? 'text/css' : 'text/javascript'
  const asset = { path: `/assets/${name}-${digest}.${ending}`, type: `${type}; charset=utf-8`, text, gzipped: gzipSync(text) }
  assets.set(asset.path, asset)
  return asset
}

export const styleAsset = createAsset('pages', 'css', style)
export const scriptAsset = createAsset('pages', 'js', script)

/** Returns the asset at a path below the root of the pages; undefined when there is none. */
export const assetAt = (path: string): Asset | undefined => assets.get(path)
