/** Small pictures of large ones, by the optional library sharp: a node without it serves no previews. */
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Failure } from '../store/model/failure.js'
import { limitConcurrency } from './base/concurrency.js'

type Sharp = (typeof import('sharp'))['default']

/** Pictures with more pixels than this are not decoded: a few bytes can claim to be gigabytes. */
const MAX_PIXELS = 100_000_000
const MAX_SECONDS = 20
/** Decoding takes a processor for itself; others wait their turn. */
const MAX_AT_A_TIME = 2
/** What decoders are let loose on; drawings in SVG and PDF may refer to other files. */
const FORMATS: readonly string[] = ['jpeg', 'png', 'gif', 'webp', 'tiff', 'avif', 'heif']

const inTurn = limitConcurrency(MAX_AT_A_TIME)

let loading: Promise<Sharp | undefined> | undefined

/** The library, when it is installed for this machine. */
function load(): Promise<Sharp | undefined> {
  loading ??= import('sharp').then(
    (module) => module.default,
    () => undefined,
  )
  return loading
}

/** @throws Failure `unavailable-method` when pictures cannot be made on this machine. */
export async function assertImagesAvailable(): Promise<void> {
  if ((await load()) !== undefined) return
  throw new Failure('unavailable-method', 'This node makes no previews: the image library "sharp" is not installed.')
}

/**
 * Makes a progressive JPEG of the first frame of a picture that fits into a box, in its proportions and never enlarged.
 * The result is at `to` completely or not at all.
 * @throws Failure `unavailable-method`; `corrupted-data` for what is no picture.
 */
export async function shrink(from: string, to: string, fresh: string, box: { width: number; height: number }): Promise<void> {
  const sharp = await load()
  if (sharp === undefined) return assertImagesAvailable()
  await inTurn(() => shrinkBy(sharp, from, to, fresh, box))
}

async function shrinkBy(
  sharp: Sharp,
  from: string,
  to: string,
  fresh: string,
  box: { width: number; height: number },
): Promise<void> {
  try {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    const picture = sharp(from, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
    const { format } = await picture.metadata()
    if (!FORMATS.includes(format)) throw new Error(`${format} is not shown`)
    await picture
      .timeout({ seconds: MAX_SECONDS })
      .autoOrient()
      .resize({ ...box, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .jpeg({ progressive: true })
      .toFile(fresh)
    await rename(fresh, to)
  } catch (error) {
    await rm(fresh, { force: true })
    const why = error instanceof Error ? error.message : String(error)
    throw new Failure('corrupted-data', `The attached file cannot be shown as a picture: ${why}`)
  }
}
