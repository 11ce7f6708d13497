/**
 * Manifest of an archive, `manifest.json`: readable without a passphrase, and free of names. An archive is a folder
 * with the manifest, an index of its members, and the members, each in a file under `members`.
 */
import { createHash, createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import * as z from 'zod'
import { constantTimeEqual } from '../model/constantTimeEqual.js'
import { isJsonObject } from '../model/json.js'
import { Sealing } from '../keyring/passphraseEncryption.js'

/** Number of items by noun: `users`, `streams`, `events`, … */
export type Counts = Record<string, number>

/** Returns the nouns whose counts differ; they are marked in output and determine exit codes. */
export const differing = (input: Readonly<Counts>, restored: Readonly<Counts>): string[] =>
  Object.keys({ ...input, ...restored }).filter((noun) => (input[noun] ?? 0) !== (restored[noun] ?? 0))

const Facts = z.object({
  archive: z.literal('coffer'),
  version: z.number().int(),
  kind: z.enum(['node', 'account']),
  name: z.string(),
  /** Seconds since the epoch. */
  made: z.number(),
  /** Version of coffer that wrote the archive. */
  product: z.string(),
  /** Id of the node. */
  node: z.string(),
  /** Format of the store in the archive. */
  format: z.number().int(),
  /** Position in the chain of commits: number and hash of the last one. */
  position: z.object({ commit: z.number().int(), hash: z.string() }),
  /** Name of the archive whose unchanged members were reused. */
  base: z.string().optional(),
  /** Mark of the store's changed-key set: the next archive reads only keys written since. */
  mark: z.string().optional(),
  /** Time when all entries were last read, for this archive or an earlier one it builds on. Seconds since the epoch. */
  readAll: z.number().optional(),
  counts: z.record(z.string(), z.number()),
  /** Bytes of all members uncompressed, as stored, and of those that no earlier archive had. */
  bytes: z.number(),
  storedBytes: z.number(),
  newBytes: z.number(),
  members: z.number().int(),
  /** Index of members: SHA-256 and length of its content, and length of its file. */
  index: z.object({ digest: z.string(), bytes: z.number().int(), stored: z.number().int() }),
  sealing: Sealing.optional(),
})

type ManifestFacts = z.output<typeof Facts>

/** Schema of the facts that the creator of any archive provides; other members are ignored. */
export const ArchiveFacts = Facts.pick({ kind: true, made: true, product: true, node: true, format: true, position: true, counts: true })

/** Facts from the creator of an archive; `mark` and `readAll` are those of whole nodes. */
export type MakerFacts = z.output<typeof ArchiveFacts> & Pick<ManifestFacts, 'mark' | 'readAll'>

/** Facts with `proof`, the SHA-256 of the rest, keyed when the archive is sealed. */
export type Manifest = ManifestFacts & { proof: string }

export const MANIFEST = 'manifest.json'
export const ARCHIVE_VERSION = 1

/** Error when a folder is not an archive, or an incomplete one. */
export class NoArchive extends Error {}

/** Error when a newer coffer wrote the archive. */
export class ArchiveUnknown extends Error {}

/** Error when the content of an archive is damaged; `what` describes the damage. */
export class ArchiveDamaged extends Error {
  constructor(
    readonly folder: string,
    readonly what: string,
  ) {
    super(`The archive ${folder} is damaged: ${what}.`)
  }
}

/** Reads the manifest of an archive. `openArchive` verifies its proof. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new NoArchive(`There is no archive in ${folder}.`)
    throw error
  })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ArchiveDamaged(folder, `${MANIFEST} cannot be read`)
  }
  const { archive, version } = Object(value) as { archive?: unknown; version?: unknown }
  if (archive !== 'coffer') throw new NoArchive(`There is no archive of coffer in ${folder}.`)
  if (typeof version === 'number' && version > ARCHIVE_VERSION) {
    throw new ArchiveUnknown(`The archive ${folder} has version ${version}; this coffer knows up to ${ARCHIVE_VERSION}. Use a newer coffer.`)
  }
  const manifest = Facts.extend({ proof: z.string() }).safeParse(value)
  if (!manifest.success) throw new ArchiveDamaged(folder, `${MANIFEST} lacks ${manifest.error.issues[0]?.path.join('.') ?? 'something'}`)
  return { ...manifest.data, name: basename(folder) }
}

/**
 * Adds the proof to a manifest; `key` is that of a sealed archive. The proof excludes the name, since a folder may be
 * renamed.
 */
export function proved(facts: ManifestFacts, key: Uint8Array | undefined): Manifest {
  return { ...facts, proof: proofOf(facts, key) }
}

/** Checks whether a manifest is unmodified. */
export function isProved({ proof, ...facts }: Manifest, key: Uint8Array | undefined): boolean {
  return constantTimeEqual(proof, proofOf(facts, key))
}

function proofOf(facts: ManifestFacts, key: Uint8Array | undefined): string {
  const text = JSON.stringify(sorted({ ...Facts.parse(facts), name: '' }))
  const hash = key === undefined ? createHash('sha256') : createHmac('sha256', key)
  return hash.update(text).digest('hex')
}

/** Returns a value with the keys of its objects sorted. */
function sorted(value: unknown): unknown {
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  )
}
