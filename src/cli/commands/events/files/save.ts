/** Saves the attachments of an event to a folder. */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { errorMessage } from '../../../../store/model/errorMessage.js'
import type { Opening } from '../decrypt/methods.js'
import { CommandError } from '../../../framework/exit.js'
import { listOf, recordOf, textOf } from '../../../client/answer.js'
import type { Record_ } from '../../../client/answer.js'
import type { Authority, NodeClient } from '../../../client/nodeClient.js'
import { interruption, abortOnInterrupt } from '../../../client/interruption.js'

/** A saved file. */
export interface Saved {
  id: string
  path: string
  size: number
}

/** Device names that some systems reserve. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
const MAX_BYTES = 200

/** Returns a file name that is safe on every system: no separators, control characters or leading dots. */
export function safeName(fileName: string): string {
  const plain = fileName
    .replace(/[\p{Cc}\p{Cf}\p{Surrogate}/\\:*?"<>|]/gu, '_')
    .replace(/^[. ]+/, '_')
    .replace(/[. ]+$/, '')
  const name = plain === '' || plain === '_' ? 'file' : RESERVED.test(plain) ? `_${plain}` : plain
  if (Buffer.byteLength(name) <= MAX_BYTES) return name
  const ending = /\.[\w-]{1,16}$/.exec(name)?.[0] ?? ''
  let stem = name.slice(0, name.length - ending.length)
  while (Buffer.byteLength(stem + ending) > MAX_BYTES) stem = [...stem].slice(0, -1).join('')
  return stem + ending
}

/** Makes file names in one folder distinct, ignoring case and normalisation; later duplicates get a number. */
export function distinctNames(fileNames: readonly string[]): string[] {
  const usedNames = new Set<string>()
  const key = (name: string): string => name.normalize('NFC').toLowerCase()
  return fileNames.map((fileName) => {
    const name = safeName(fileName)
    const ending = /\.[^.]+$/.exec(name)?.[0] ?? ''
    const stem = name.slice(0, name.length - ending.length)
    let distinct = name
    for (let n = 2; usedNames.has(key(distinct)); n++) distinct = `${stem} (${n})${ending}`
    usedNames.add(key(distinct))
    return distinct
  })
}

/** Target and options of saved files. */
interface SaveTarget {
  folder: string
  force: boolean
  /** Decrypts a file while it is saved. */
  opening?: (() => Opening) | undefined
  /** Receives the number of bytes that arrived. */
  onBytes?(count: number): void
}

/** The bytes of a file, and their expected SHA-256. */
interface AttachmentSource {
  bytes: AsyncIterable<Buffer>
  digest: string
}

/**
 * Saves the attachments of an event to `folder`, which is created if missing. Ctrl-C removes the partial file.
 * @throws CommandError 6 when a file exists and `force` was not given; 13 when bytes are damaged, or cannot be
 * decrypted by `opening`
 */
export async function saveAttachments(client: NodeClient, as: Authority, event: Record_, place: SaveTarget): Promise<Saved[]> {
  const { folder, force, opening, onBytes } = place
  const files = listOf(event['attachments'])
  const names = distinctNames(files.map((file) => textOf(file['fileName'])))
  const places = names.map((name) => join(folder, name))
  // Check all files before writing the first.
  const existing = force ? undefined : places.find((place) => existsSync(place))
  if (existing !== undefined) throw alreadyExists(existing)
  await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw unwritable(folder, cause)
  })
  const saved: Saved[] = []
  const interrupt = interruption()
  try {
    for (const [i, file] of files.entries()) {
      const id = textOf(file['id'])
      const path = places[i] ?? ''
      const { bytes, digest } = await openAttachment(client, as, { id: textOf(event['id']), fileId: id })
      const from = abortOnInterrupt(bytes, interrupt, `Cancelled; ${path} was not saved.`)
      const size = await copy(from, path, digest, { force, opening: opening?.(), onBytes })
      saved.push({ id, path, size })
    }
    return saved
  } finally {
    interrupt.end()
  }
}

const DIGEST = /^sha-256=:([A-Za-z0-9+/]+=*):$/

async function openAttachment(client: NodeClient, as: Authority, params: { id: string; fileId: string }): Promise<AttachmentSource> {
  const method = 'events.getAttachment'
  if (client.transfers === undefined) {
    const file = recordOf((await client.call(method, params, as)).file)
    return { bytes: createReadStream(textOf(file['path']), { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>, digest: textOf(file['digest']) }
  }
  const { headers, bytes } = await client.transfers.receive(method, params, as)
  const encodedDigest = DIGEST.exec(textOf(headers['repr-digest']))?.[1]
  if (encodedDigest === undefined) throw new CommandError('The node did not send the digest of the file.', { exit: 7, hint: 'Check whether a proxy removes response headers.' })
  return { bytes, digest: Buffer.from(encodedDigest, 'base64').toString('hex') }
}

/** Writes a file under a temporary name, and renames it when its digest is correct. */
async function copy(
  from: AsyncIterable<Buffer>,
  to: string,
  digest: string,
  { force, opening, onBytes }: { force: boolean; opening: Opening | undefined; onBytes: SaveTarget['onBytes'] },
): Promise<number> {
  const partial = `${to}.${process.pid}.part`
  const hash = createHash('sha256')
  let size = 0
  try {
    const file = await open(partial, 'wx', 0o600)
    try {
      for await (const stored of from) {
        hash.update(stored)
        onBytes?.(stored.length)
        const bytes = opening === undefined ? stored : opening.update(stored)
        size += bytes.length
        await file.appendFile(bytes)
      }
      await file.sync()
    } finally {
      await file.close()
    }
    if (hash.digest('hex') !== digest) {
      throw new CommandError(`${to} was not saved: its bytes differ from those that were attached.`, { exit: 13 })
    }
    if (opening?.end() !== undefined) throw notDecrypted(to)
    if (!force && existsSync(to)) throw alreadyExists(to)
    await rename(partial, to)
    return size
  } catch (error) {
    await rm(partial, { force: true })
    throw error instanceof CommandError ? error : unwritable(to, error)
  }
}

const alreadyExists = (path: string): CommandError =>
  new CommandError(`${path} already exists.`, { exit: 6, hint: 'Replace it with --force, or choose another folder.' })

const notDecrypted = (path: string): CommandError =>
  new CommandError(`${path} was not saved: it was not encrypted with the key of its event, or was modified.`, {
    exit: 13,
    hint: 'To save it encrypted, omit --decrypt.',
  })

function unwritable(path: string, cause: unknown): CommandError {
  const why = errorMessage(cause)
  const isFull = cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC'
  return new CommandError(`${path} cannot be saved: ${why}`, { exit: isFull ? 75 : 1, cause })
}
