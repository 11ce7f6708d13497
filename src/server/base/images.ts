/** Creates previews of images with the optional library sharp; a node without it serves no previews. */
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorMessage } from '../../store/model/errorMessage.js'
import { Failure } from '../../store/model/failure.js'
import { limitConcurrency } from './concurrency.js'

type Sharp = (typeof import('sharp'))['default']

/** Maximum number of pixels of decoded images; a few bytes can declare gigabytes. */
const MAX_PIXELS = 100_000_000
const MAX_SECONDS = 20
/** Decoding occupies a processor; further ones wait. */
const MAX_AT_A_TIME = 2
/** Supported formats; SVG and PDF are excluded, since they may refer to other files. */
const FORMATS: readonly string[] = ['jpeg', 'png', 'gif', 'webp', 'tiff', 'avif', 'heif']

const inTurn = limitConcurrency(MAX_AT_A_TIME)

let loading: Promise<Sharp | undefined> | undefined

/** Loads the library, if installed. */
function load(): Promise<Sharp | undefined> {
  loading ??= import('sharp').then(
    (module) => module.default,
    () => undefined,
  )
  return loading
}

/** @throws Failure `unavailable-method` when previews cannot be created on this machine */
export async function assertImagesAvailable(): Promise<void> {
  if ((await load()) !== undefined) return
  throw new Failure('unavailable-method', 'Previews are not available on this node: the image library "sharp" is not installed.')
}

/**
 * Creates a progressive JPEG of the first frame of an image, scaled down proportionally to fit into a box. The file `to` is
 * written atomically.
 * @throws Failure `unavailable-method`; `corrupted-data` for files that are not images
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
    if (!FORMATS.includes(format)) throw new Error(`the format ${format} is not supported`)
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
    const why = errorMessage(error)
    throw new Failure('corrupted-data', `The attached file cannot be displayed as an image: ${why}`)
  }
}
